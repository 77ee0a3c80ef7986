import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { auditPage } from '../../reads/operator.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { pageQuery } from '../../wire/page.ts';

export const listAuditLog = endpoint({
  method: 'get',
  path: '/v1/admin/audit-log',
  role: 'operator',
  summary:
    'Show what operators did, newest first; `hash` is SHA-256 over the JSON array of seq, prev_hash, ' +
    'committed_at in Unix ms, actor, action, object, reason and detail, keys sorted, no spaces',
  trafficClass: 1,
  query: z.object(pageQuery({ limitMax: 500, limitDefault: 100 })),
  response: z.object({
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    entries: z.array(
      z.object({
        seq: z.number().int(),
        actor: z.string(),
        action: z.string(),
        object: z.string(),
        reason: z.string().nullable(),
        detail: z.record(z.string(), z.unknown()),
        prev_hash: z.string(),
        hash: z.string(),
        committed_at: instant,
      }),
    ),
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle({ query }, { sql }) {
    const { total, entries } = await auditPage(sql, query);
    return {
      total,
      ...query,
      entries: entries.map(({ prevHash, committedAt, ...entry }) => ({
        ...entry,
        prev_hash: prevHash,
        committed_at: formatInstant(committedAt),
      })),
    };
  },
});
