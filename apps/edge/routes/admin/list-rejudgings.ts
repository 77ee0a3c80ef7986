import { z } from 'zod';
import { rejudgingPage } from '../../../../actors/services/operator/rejudging/reads.ts';
import { endpoint } from '../../endpoint.ts';
import { pageQuery } from '../../wire/page.ts';
import { rejudgingSummary, toRejudgingSummary } from '../../wire/rejudging.ts';

export const listRejudgings = endpoint({
  method: 'get',
  path: '/v1/admin/rejudgings',
  role: 'operator',
  summary: 'List rejudgings, newest first',
  trafficClass: 1,
  query: z.object(pageQuery({ limitMax: 500, limitDefault: 100 })),
  response: z.object({
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    rejudgings: z.array(rejudgingSummary),
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle({ query }, { sql }) {
    const { total, rejudgings } = await rejudgingPage(sql, query);
    return { total, ...query, rejudgings: rejudgings.map(toRejudgingSummary) };
  },
});
