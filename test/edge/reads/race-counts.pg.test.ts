import test from 'ava';
import { pastRaces, raceById } from '../../../apps/edge/reads/races.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { testDatabase } from '../../support/cluster.ts';
import { lookedAt } from '../../support/looked-at.ts';
import { addWork } from '../../support/sealed-race.ts';
import { addActiveSuite, addRace, trialId } from '../../support/trial-races.ts';

const hotkeys = ['a', 'b', 'c', 'd'] as const;

/** A race of four, of whom the first two are through. */
async function runningRace(sql: Sql): Promise<{ suiteId: number; raceId: string }> {
  const suiteId = await addActiveSuite(sql);
  const entrants = hotkeys.map((hotkey) => ({ hotkey }));
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants, status: 'RACE_RUNNING' });
  for (const [place, hotkey] of hotkeys.entries()) {
    const included = place < 2 ? 2 : 0;
    await addWork(sql, { versionId: trialId(hotkey), suiteId, raceId, included });
  }
  return { suiteId, raceId };
}

/** How many are scored, and how many are through by the pace that the projection goes on with. */
async function counts(sql: Sql, raceId: string): Promise<readonly [scored: number, ended: number]> {
  const race = await raceById(sql, raceId);
  if (race === undefined) throw new Error('no race');
  const { startedAt, projectedCompletionAt: projected, qualifierCount, nowMs, scoredCount } = race;
  const ran = nowMs - (startedAt?.getTime() ?? 0);
  const left = (projected?.getTime() ?? 0) - nowMs;
  return [scoredCount, Math.round(qualifierCount / (left / ran + 1))];
}

test('who was discarded or banned has no score to come, and is waited for by nobody', async (t) => {
  const { sql } = await testDatabase(t);
  const { raceId } = await runningRace(sql);
  t.deepEqual(await counts(sql, raceId), [2, 2]);

  await sql`update agent_version set state = 'DISCARDED' where agent_version_id = ${trialId('a')}`;
  t.deepEqual(await counts(sql, raceId), [1, 2], 'a discarded one that was through');

  const ban = (hotkey: string) => sql`
    insert into hotkey_ban (hotkey, reason, banned_at) values (${hotkey}, 'test', rt.clock())`;
  await ban('b');
  t.deepEqual(await counts(sql, raceId), [0, 2], 'a banned one that was through');
  await ban('c');
  t.deepEqual(await counts(sql, raceId), [0, 3], 'a banned one whose work is held');

  await sql`delete from hotkey_ban`;
  await sql`update agent_version set state = 'ELIGIBLE' where agent_version_id = ${trialId('a')}`;
  t.deepEqual(await counts(sql, raceId), [2, 2]);
});

test('of races that are over no entrant is looked at for their counts', async (t) => {
  const { sql } = await testDatabase(t);
  const { raceId } = await runningRace(sql);
  const read = () =>
    lookedAt(sql, 'work_item', (tx) => pastRaces(tx, { suiteId: undefined, limit: 20, offset: 0 }));
  await sql`
    update race set status = 'RACE_COMPLETE', completed_at = rt.clock(), released_at = rt.clock(),
      scored_count = 2
    where race_id = ${raceId}`;
  const [past, items] = await read();
  t.is(past.races[0]?.scoredCount, 2);
  t.is(items, 0);
  const [, versions] = await lookedAt(sql, 'agent_version', (tx) => raceById(tx, raceId));
  t.is(versions, 0);
  await sql`update race set status = 'RACE_RUNNING' where race_id = ${raceId}`;
  const [, running] = await lookedAt(sql, 'agent_version', (tx) => raceById(tx, raceId));
  t.is(running, hotkeys.length);
});
