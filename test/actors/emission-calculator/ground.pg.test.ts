import test from 'ava';
import { createGroundReader } from '../../../actors/emission-calculator/store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace } from '../../support/trial-races.ts';

test('survivors of the race that completed last are paid, whatever its number', async (t) => {
  const { sql } = await testDatabase(t);
  const former = await addActiveSuite(sql);
  const old = [{ hotkey: 'old', score: '0.6000' }];
  await addRace(sql, { suiteId: former, raceNumber: 5, entrants: old });
  // Numbers begin anew with each suite.
  const next = await addActiveSuite(sql, 2);
  const entrants = [{ hotkey: 'new', score: '0.5000' }];
  await addRace(sql, { suiteId: next, raceNumber: 1, entrants, completedAgo: 1 });
  const ground = await createGroundReader(sql, { burnRateMicro: 0 }).read();
  t.deepEqual(
    ground.survivors.map(({ minerHotkey }) => minerHotkey),
    ['new'],
  );
});
