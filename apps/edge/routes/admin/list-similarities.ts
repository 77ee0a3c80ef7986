import { z } from 'zod';
import { similarityVerdicts } from '../../../../machines/submission/similarity.ts';
import { endpoint } from '../../endpoint.ts';
import { similarityPage } from '../../reads/similarity.ts';
import { pageQuery } from '../../wire/page.ts';
import { similaritySummary, toSimilaritySummary } from '../../wire/similarity.ts';

export const listSimilarities = endpoint({
  method: 'get',
  path: '/v1/admin/similarity',
  role: 'operator',
  summary: 'List how like earlier files the submitted ones are, newest first',
  trafficClass: 1,
  query: z.object({
    verdict: z.enum(similarityVerdicts).optional(),
    ...pageQuery({ limitMax: 500, limitDefault: 100 }),
  }),
  response: z.object({
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    reports: z.array(similaritySummary),
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle({ query }, { sql }) {
    const { verdict, limit, offset } = query;
    const { total, rows } = await similarityPage(sql, { verdict, limit, offset });
    return { total, limit, offset, reports: rows.map(toSimilaritySummary) };
  },
});
