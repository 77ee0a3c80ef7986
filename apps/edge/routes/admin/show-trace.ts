import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { findTrace } from '../../operator/kept-traces.ts';
import { trace, traceId } from '../../wire/trace.ts';

export const showTrace = endpoint({
  method: 'get',
  path: '/v1/admin/traces/{trace_id}',
  role: 'operator',
  summary: 'Show one of the last traces, span by span, with what was done for it elsewhere',
  trafficClass: 1,
  asks: 'nobody',
  params: z.object({ trace_id: traceId }),
  response: trace,
  faults: ['TRACES_UNAVAILABLE', 'TRACE_NOT_FOUND'],

  async handle({ params }, deps) {
    const found = await findTrace(deps, params.trace_id);
    if (found !== undefined) return found;
    throw refusal('TRACE_NOT_FOUND');
  },
});
