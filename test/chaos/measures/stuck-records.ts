import { findStuck, type Stuck } from '../../../actors/services/stuck/find-stuck.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { MetricsWatch } from './metrics-watch.ts';
import type { WatchPlan } from './standstill-watch.ts';
import type { Waiting } from './standstills.ts';

const everyMs = 2_000;
const mostMs = 30_000;
const perKind = 1_000;

/**
 * Records that the service itself counts as stuck, looked at as long as the gauge of any coordinator
 * that answers is above zero. A gauge alone tells too little: among faults every few seconds one kind
 * can be above zero for minutes while each of its records waits for seconds. So each is judged by
 * itself, from the moment on at which nothing about it changes any more, neither what it waits for nor
 * its owner, and nothing hinders that owner.
 *
 * By definition it has missed its time by more than a takeover takes then, and a run by more than a
 * flush besides. Nothing explains thirty seconds more of which nothing hindered anybody.
 */
export function stuckRecords(sql: Sql, metrics: Pick<MetricsWatch, 'isAnythingStuck'>): WatchPlan {
  return {
    rule: 'stuck records',
    everyMs,
    mostMs,
    async find() {
      const { isAnythingStuck } = metrics;
      if (isAnythingStuck === undefined) throw new Error('no coordinator tells what is stuck');
      return isAnythingStuck ? overdueOf(await findStuck(sql, perKind)) : [];
    },
  };
}

/** A message that nobody took has the time of its next try, and is let be until then. */
export function overdueOf({
  records,
  checkedAt,
}: Pick<Stuck, 'records' | 'checkedAt'>): readonly Waiting[] {
  return records
    .filter(({ deadline }) => deadline === null || deadline < checkedAt)
    .map(({ kind, id, owner, ...rest }) => {
      return { name: `${kind} ${id}`, state: JSON.stringify({ owner, ...rest }), owner };
    });
}
