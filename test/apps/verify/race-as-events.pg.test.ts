import test from 'ava';
import { everyCheck } from '../../../apps/verify/live/checks/every-check.ts';
import { openRaceDesk } from '../../support/race-desk.ts';
import { raceAt, runToEnd, runToStart, seedSuite, seedVersion } from '../../support/race-seeds.ts';

test('what a race says of its steps and its end is held against its events', async (t) => {
  const desk = await openRaceDesk(t);
  const { sql } = desk;
  await seedSuite(sql);
  const winner = await seedVersion(sql, { hotkey: 'miner' });
  const raceId = await runToStart(desk);
  await runToEnd(desk, raceId, new Map([[winner, { micro: [700_000, 700_000] }]]));
  // The next one has nobody to run.
  await sql`update agent_version set state = 'DISCARDED'`;
  desk.nowMs = (await raceAt(sql, 2)).closesAtMs;
  await desk.tick();
  const statuses = [await raceAt(sql, 1), await raceAt(sql, 2)].map(({ status }) => status);
  t.deepEqual(statuses, ['RACE_COMPLETE', 'RACE_CANCELLED']);

  const about = everyCheck.filter(({ rule }) => rule.startsWith('every race says of its steps'));
  const wrong = async () => (await Promise.all(about.map(({ find }) => find(sql)))).flat().length;
  t.is(await wrong(), 0);
  await sql`create table kept as select * from race`;
  for (const [column, value] of [
    ['cancel_reason', 'NO_TASK'],
    ['cancel_reason', null],
    ['cancelled_at', '2026-07-01T00:00:00Z'],
    ['opened_at', '2026-07-01T00:00:00Z'],
    ['started_at', '2026-07-01T00:00:00Z'],
    ['winner_agent_version_id', null],
  ] as const) {
    await sql`update race set ${sql({ [column]: value })} where ${sql(column)} is not null`;
    t.true((await wrong()) > 0, `${column}: ${value}`);
    await sql`
      update race set ${sql(column)} = kept.${sql(column)}
      from kept where kept.race_id = race.race_id`;
  }
  t.is(await wrong(), 0);
});
