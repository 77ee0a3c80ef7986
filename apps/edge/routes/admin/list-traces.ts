import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { searchTraces, spansGoTo } from '../../operator/kept-traces.ts';
import { pageQuery } from '../../wire/page.ts';
import { traceOutcome, traceSummary } from '../../wire/trace.ts';

const part = z.string().min(1).max(200).optional();

export const listTraces = endpoint({
  method: 'get',
  path: '/v1/admin/traces',
  role: 'operator',
  summary: 'List the last traces, where they are kept for this page; else say where spans go',
  trafficClass: 1,
  asks: 'nobody',
  query: z.object({
    ...pageQuery({ limitMax: 500, limitDefault: 100 }),
    route: part.meta({ description: 'A part of the name that the trace began with' }),
    outcome: traceOutcome.optional().meta({ description: 'Only traces that ended so' }),
    text: part.meta({ description: 'Of a trace, a run or anything else that a span names' }),
    order: z
      .enum(['newest', 'slowest'])
      .default('newest')
      .meta({ description: 'Which come first' }),
  }),
  response: z.object({
    is_kept: z.boolean(),
    /** The collector's address; null where spans go nowhere. */
    sent_to: z.string().nullable(),
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    traces: z.array(traceSummary),
  }),
  faults: ['TRACES_UNAVAILABLE'],

  async handle({ query }, deps) {
    const found = await searchTraces(deps, query);
    const { limit, offset } = query;
    return {
      is_kept: found !== undefined,
      sent_to: spansGoTo(deps.config),
      ...{ total: 0, traces: [], ...found },
      ...{ limit, offset },
    };
  },
});
