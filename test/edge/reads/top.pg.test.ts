import test from 'ava';
import { reigns, topView } from '../../../apps/edge/reads/top.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addActiveSuite, addRace, addTop, addVersion } from '../../support/trial-races.ts';

test('a switch of suites leaves what is burnt as the last race of all has it', async (t) => {
  const { sql } = await testDatabase(t);
  const former = await addActiveSuite(sql, 1);
  const race = { raceNumber: 1, entrants: [] };
  const policy = { burnRateMicro: 250_000 };
  await addRace(sql, { ...race, suiteId: former, policy, completedAgo: 2 });
  const suiteId = await addActiveSuite(sql, 2);
  t.like(await topView(sql), { suiteId, burnRateMicro: 250_000, policy: null });

  await addRace(sql, { ...race, suiteId, policy: { burnRateMicro: 500_000 }, completedAgo: 1 });
  t.like(await topView(sql), { suiteId, burnRateMicro: 500_000 });
});

test('a reign that a ban forestalled ended when it began, and not before', async (t) => {
  const { sql } = await testDatabase(t);
  const suiteId = await addActiveSuite(sql);
  await addVersion(sql, suiteId, 'a');
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants: [] });
  await addTop(sql, { suiteId, raceId, hotkey: 'a', score: '0.6', daysAgo: 1 });
  const banned = (interval: string) => sql`
    insert into hotkey_ban (hotkey, reason, banned_at)
    select 'a', 'test', top_at + ${interval}::text::interval from top_agent
    on conflict (hotkey) do update set banned_at = excluded.banned_at`;
  const lastedMs = async () => {
    const [reign] = await reigns(sql, suiteId);
    return Number(reign?.endedAt) - Number(reign?.topAt);
  };

  await banned('-1 minute');
  t.is(await lastedMs(), 0);
  await banned('1 minute');
  t.is(await lastedMs(), 60_000);
});
