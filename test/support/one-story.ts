import type { ExecutionContext } from 'ava';
import { everyCheck } from '../../apps/verify/live/checks/every-check.ts';
import type { Sql } from '../../infra/ports/sql.ts';

/** Rules that need neither a projector nor living owners, for tests of one partition. */
const ownRules = /^INV-(?:0[145]|1[012356]|2[0-3]|49)$/;

/** The partitions' tests name callers by words; that only real hotkeys come in is the edge's affair. */
const ofSpelling = /one spelling/;

export async function tellsOneStory(t: ExecutionContext, sql: Sql): Promise<void> {
  for (const { id, rule, find } of everyCheck) {
    if (!ownRules.test(id) || ofSpelling.test(rule)) continue;
    t.deepEqual([...(await find(sql))], [], `${id} ${rule}`);
  }
}
