import test from 'ava';
import { startTestService, type TestService } from '../../support/edge.ts';
import { addActiveSuite, addRace, addTop, addVersion, trialId } from '../../support/trial-races.ts';
import { okBody } from '../../support/trial-suite.ts';
import { refused } from './answers.ts';

let service: TestService;
test.before(async () => {
  service = await startTestService({
    env: { SUBNET_TAO_PER_DAY: '100', TAO_USD: '250.5', BURN_RATE: '0.1' },
  });
});
test.after.always(() => service?.stop());

const read = async <T = Record<string, unknown>>(path: string) =>
  await okBody<T>(await service.call('GET', path));

interface Reign {
  readonly miner_hotkey: string;
  readonly score: number;
  readonly race_id: string;
  readonly ended_at: string | null;
}

test.serial('without a suite nobody is top, and nothing is an error', async (t) => {
  const { computed_at: at, ...top } = await read('/v1/public/top');
  t.regex(String(at), /^\d{4}-.*Z$/);
  t.deepEqual(top, {
    suite_id: null,
    top_agent_version_id: null,
    top_miner_hotkey: null,
    top_score: null,
    challenge_threshold: null,
    margin: null,
    emission_weight: 0,
    policy: {
      days_as_top: null,
      emission_baseline_burn_rate: 0.1,
      margin_initial: 0.01,
      margin_half_life_days: 10,
      margin_floor: 0,
    },
  });
  t.deepEqual(await read('/v1/public/top/history'), []);
  t.like(await read('/v1/public/top-miner-payout'), {
    agent_name: null,
    miner_hotkey: null,
    tao_per_day: null,
    usd_per_day: null,
  });
});

test.serial('the threshold is the score of the top and the margin of this moment', async (t) => {
  const { sql } = service;
  const suiteId = await addActiveSuite(sql);
  const entrants = ['top', 'b'].map((hotkey) => ({ hotkey, score: '0.4731' }));
  const policy = { burnRateMicro: 250_000 };
  const raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants, policy });
  await addTop(sql, { suiteId, raceId, hotkey: 'top', score: '0.4731', daysAgo: 10 });
  await sql`
    insert into race_emission (race_id, position, seat, agent_version_id, miner_hotkey, weight, units)
    values (${raceId}, 0, 'BURN', null, null, 1, 249999999999999999),
      (${raceId}, 1, 'TOP', ${trialId('top')}, 'top', 3, 750000000000000001)`;

  const top = await read<{ policy: { days_as_top: number } }>('/v1/public/top');
  t.like(top, {
    suite_id: suiteId,
    top_agent_version_id: trialId('top'),
    top_miner_hotkey: 'top',
    top_score: 0.4731,
    margin: 0.005,
    challenge_threshold: 0.4781,
    emission_weight: 0.75,
  });
  t.like(top.policy, { emission_baseline_burn_rate: 0.25 });
  t.true(Math.abs(top.policy.days_as_top - 10) < 0.01);
  t.like(await read('/v1/public/top-miner-payout'), {
    agent_name: 'agent of top',
    miner_hotkey: 'top',
    tao_per_day: 75,
    usd_per_day: 18_787.5,
  });

  // A rate that was changed since burns nothing before the race that was opened by it is complete.
  await addRace(sql, {
    ...{ suiteId, raceNumber: 2, entrants: [], status: 'QUALIFYING_OPEN' },
    policy: { burnRateMicro: 750_000 },
  });
  const later = await read<Pick<typeof top, 'policy'>>('/v1/public/top');
  t.like(later.policy, { emission_baseline_burn_rate: 0.25 });
});

test.serial('the history shows every reign, newest first, and by suite', async (t) => {
  const { sql } = service;
  const suiteId = await addActiveSuite(sql, 2);
  await addVersion(sql, suiteId, 'c');
  const raceId = await addRace(sql, {
    suiteId,
    raceNumber: 1,
    entrants: [{ hotkey: 'c', score: '0.5000' }],
  });
  // The switch of the suite ended the reign before its row says so.
  const [former] = await read<Reign[]>('/v1/public/top/history');
  t.is(former?.miner_hotkey, 'top');
  t.not(former?.ended_at, null);
  t.like(await read('/v1/public/top'), { suite_id: suiteId, top_miner_hotkey: null });

  await addTop(sql, { suiteId, raceId, hotkey: 'c', score: '0.5000' });
  const all = await read<Reign[]>('/v1/public/top/history');
  t.deepEqual(
    all.map(({ miner_hotkey, score, ended_at }) => [miner_hotkey, score, ended_at === null]),
    [
      ['c', 0.5, true],
      ['top', 0.4731, false],
    ],
  );
  const [own, ...others] = await read<Reign[]>(`/v1/public/top/history?suite_id=${suiteId}`);
  t.is(own?.race_id, raceId);
  t.deepEqual(others, []);
  await refused(
    t,
    await service.call('GET', '/v1/public/top/history?suite_id=99'),
    '404 SUITE_NOT_FOUND',
  );
});

test.serial('a banned or discarded top is none, and its reign is over', async (t) => {
  const { sql } = service;
  await sql`insert into hotkey_ban (hotkey, reason, banned_at) values ('c', 'x', rt.clock())`;
  t.like(await read('/v1/public/top'), { top_miner_hotkey: null, emission_weight: 0 });
  t.like(await read('/v1/public/top-miner-payout'), { miner_hotkey: null, tao_per_day: null });
  t.not((await read<Reign[]>('/v1/public/top/history'))[0]?.ended_at, null);

  await sql`delete from hotkey_ban`;
  t.like(await read('/v1/public/top'), { top_miner_hotkey: 'c' });
  await sql`
    update agent_version set state = 'DISCARDED', discarded_at = rt.clock()
    where agent_version_id = ${trialId('c')}`;
  t.like(await read('/v1/public/top'), { top_miner_hotkey: null });
  t.not((await read<Reign[]>('/v1/public/top/history'))[0]?.ended_at, null);
});
