import test from 'ava';
import { similarSources } from '../../../apps/edge/reads/similarity.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace, addTop, addVersion } from '../../support/trial-races.ts';

test('of a source that reigned twice the beginning of its first reign is told', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  const [twice, never] = [
    await addVersion(sql, suiteId, 'twice'),
    await addVersion(sql, suiteId, 'never'),
  ];
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });
  for (const daysAgo of [9, 2]) {
    await addTop(sql, { suiteId, raceId, hotkey: 'twice', score: '0.6', daysAgo });
  }

  const sources = await similarSources(sql, [twice, never]);

  const [first] = await sql<{ topAt: Date }[]>`
    select top_at as "topAt" from top_agent order by top_at limit 1`;
  t.deepEqual(sources.get(twice)?.topAt, first?.topAt);
  t.is(sources.get(never)?.topAt, null);
});
