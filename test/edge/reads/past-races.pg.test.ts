import test from 'ava';
import { pastRaces } from '../../../apps/edge/reads/races.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace } from '../../support/trial-races.ts';

test('of races of all suites the one that ended last is first, whatever its number', async (t) => {
  const { sql } = await testDatabase(t);
  const [former, active] = [await addActiveSuite(sql, 1), await addActiveSuite(sql, 2)];
  const ended = [
    { suiteId: active, raceNumber: 2, completedAgo: 2 },
    { suiteId: former, raceNumber: 9, completedAgo: 24 },
    { suiteId: active, raceNumber: 1, completedAgo: 30 },
    { suiteId: former, raceNumber: 8, completedAgo: 48 },
  ];
  for (const race of ended) await addRace(sql, { ...race, entrants: [] });
  // Cancelled races stand in the same order.
  await sql`
    update race set status = 'RACE_CANCELLED', cancelled_at = completed_at, completed_at = null,
      released_at = null
    where suite_id = ${active} and race_number = 1`;

  const { races } = await pastRaces(sql, { suiteId: undefined, limit: 10, offset: 0 });
  t.deepEqual(
    races.map(({ suiteId, raceNumber }) => [suiteId, raceNumber]),
    ended.map(({ suiteId, raceNumber }) => [suiteId, raceNumber]),
  );
});
