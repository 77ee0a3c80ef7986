import test from 'ava';
import { qualifiersOf } from '../../../apps/edge/reads/qualifiers.ts';
import { raceById } from '../../../apps/edge/reads/races.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace } from '../../support/trial-races.ts';

test('before there are ranks entrants without a qualifying score stand last', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const entrants = ['none', 'low', 'high'].map((hotkey) => ({ hotkey }));
  const running = { suiteId, raceNumber: 1, status: 'RACE_RUNNING', entrants };
  const raceId = await addRace(sql, running);
  for (const [hotkey, score] of [
    ['none', null],
    ['high', 0.9],
  ] as const) {
    await sql`update race_entrant set qualifying_score = ${score} where miner_hotkey = ${hotkey}`;
  }
  const order = async () => {
    const race = await raceById(sql, raceId);
    if (race === undefined) throw new Error('a race was added');
    return (await qualifiersOf(sql, race)).map(({ minerHotkey }) => minerHotkey);
  };
  t.deepEqual(await order(), ['high', 'low', 'none']);

  await sql`update race_entrant set race_rank = 1 where miner_hotkey = 'none'`;
  t.deepEqual(await order(), ['none', 'high', 'low']);
});
