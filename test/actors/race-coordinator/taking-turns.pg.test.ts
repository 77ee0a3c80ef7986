import test from 'ava';
import { holdRace } from '../../../actors/services/pins/store.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { holdLock } from '../../support/held-lock.ts';
import { type Done, openRaceDesk } from '../../support/race-desk.ts';
import { raceAt, seedSuite, seedVersion } from '../../support/race-seeds.ts';
import { until } from '../../support/until.ts';

/** Both keep a race as it is for as long as their transaction lasts. */
const holders = [
  [
    'evaluation',
    (tx: Transaction, raceId: string) =>
      tx`select rt.eval_hold_races(jsonb_build_array(jsonb_build_object(
        'race_id', ${raceId}::text, 'needs_running', false)))`,
  ],
  ['pins', (tx: Transaction) => holdRace(tx)],
] as const;

async function waitingForLocks(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

for (const [what, hold] of holders) {
  test(`a close that waits for ${what} goes before those that come later`, async (t) => {
    const desk = await openRaceDesk(t);
    const { sql } = desk;
    await desk.send('suite-activated', { suiteId: await seedSuite(sql) });
    await seedVersion(sql, { hotkey: 'a' });
    const { raceId } = await raceAt(sql, 1);

    let closing: Promise<Done> | undefined;
    let later: ReturnType<typeof raceAt> | undefined;
    await holdLock(
      sql,
      (tx) => hold(tx, raceId),
      async () => {
        closing = desk.send('close-qualifying', { raceId });
        await until(async () => (await waitingForLocks(sql)) === 1);
        later = transaction(sql, {}, async (tx) => {
          await tx`set local lock_timeout = 0`;
          await hold(tx, raceId);
          return await raceAt(tx as unknown as Sql, 1);
        });
        await until(async () => (await waitingForLocks(sql)) === 2);
      },
    );

    t.is((await later)?.status, 'QUALIFYING_CLOSED');
    t.is((await closing)?.attempts, 1);
  });
}
