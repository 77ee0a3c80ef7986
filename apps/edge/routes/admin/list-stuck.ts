import { z } from 'zod';
import { findStuck } from '../../../../actors/services/stuck/find-stuck.ts';
import { endpoint } from '../../endpoint.ts';
import { formatInstant, formatInstantOrNull, instant } from '../../wire/instant.ts';

/** Of each kind; `total` counts the others as well. */
const perKindMax = 200;

export const listStuck = endpoint({
  method: 'get',
  path: '/v1/admin/stuck',
  role: 'operator',
  summary:
    'List every record that waits for nobody or has missed its time; empty where all is well',
  trafficClass: 1,
  response: z.object({
    stuck: z.array(
      z.object({
        kind: z.string(),
        id: z.string(),
        state: z.string(),
        since: instant.nullable(),
        deadline: instant.nullable(),
        owner: z.string().nullable(),
        why: z.string(),
      }),
    ),
    total: z.number().int(),
    /** There are `total` at the least: a pile of messages was looked at in part, or some kinds not at all. */
    may_be_more: z.boolean(),
    /** Could not be looked at. */
    unknown_kinds: z.array(z.string()),
    checked_at: instant,
  }),
  faults: ['STORE_UNAVAILABLE'],

  async handle(_request, { sql }) {
    const { records, total, mayBeMore, unknownKinds, checkedAt } = await findStuck(sql, perKindMax);
    return {
      stuck: records.map((record) => ({
        ...record,
        since: formatInstantOrNull(record.since),
        deadline: formatInstantOrNull(record.deadline),
      })),
      total,
      may_be_more: mayBeMore,
      unknown_kinds: [...unknownKinds],
      checked_at: formatInstant(checkedAt),
    };
  },
});
