import test from 'ava';
import { weightStandings } from '../../../apps/edge/routes/validator/show-standings.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { caller, TestKey } from '../../support/edge-client.ts';
import { addActiveSuite, addRace, addTop, trialId } from '../../support/trial-races.ts';
import { until } from '../../support/until.ts';
import { shaped } from './answers.ts';

const path = '/v1/validator/weight-salt';

let service: TestService;
let suiteId: number;
let raceId: string;
test.before(async () => {
  service = await startTestService({ edges: 3 });
  const { sql } = service;
  suiteId = await addActiveSuite(sql);
  const entrants = ['a', 'b', 'c'].map((hotkey, at) => ({ hotkey, score: `0.${6 - at}000` }));
  raceId = await addRace(sql, { suiteId, raceNumber: 1, entrants });
  await addTop(sql, { suiteId, raceId, hotkey: 'a', score: '0.6000' });
});
test.after.always(() => service?.stop());

/** A run that a validator finished some hours ago. */
async function finishRun(hotkey: string, hoursAgo: number): Promise<void> {
  const itemId = trialId(`item ${hotkey} ${hoursAgo}`);
  const { sql } = service;
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
                           race_id, state, required_successes, queued_at, queue_order_at,
                           closed_at)
    values (${itemId}, 0, ${trialId('a')}, 'a', ${suiteId}, 'RACE', ${crypto.randomUUID()},
            'CLOSED', 2, rt.clock(), rt.clock(), rt.clock())`;
  await sql`
    insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
                                execution_kind, validator_hotkey, slot, fence, status, score_micro,
                                claimed_at, lease_expires_at, completed_at, expected_items)
    select ${crypto.randomUUID()}, 0, ${itemId}, ${trialId('a')}, ${suiteId}, 'RACE',
           'legacy_benchmark', ${hotkey}, 0, 1, 'SUCCESS', 500000, t.at, t.at, t.at, 1
    from (select rt.clock() - ${`${hoursAgo} hours`}::text::interval as at) t`;
}

async function textOf(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
  return text;
}

/** A chain node beside other test files may be too slow for an edge that asks it for the first time. */
async function patientText(key: TestKey): Promise<string> {
  let answer: Response | undefined;
  await until(async () => {
    answer = await key.get(path);
    if (answer.status !== 503) return true;
    const { error_code: code } = (await answer.clone().json()) as { readonly error_code: string };
    return code !== 'CHAIN_UNAVAILABLE';
  });
  return await textOf(answer as Response);
}

// Each of the tests below works on the epochs after those of the one before.
test.serial('64 validators over three edges get one body while promotions commit', async (t) => {
  const seeds = Array.from({ length: 64 }, (_, at) => `validator ${at}`);
  const keys = [];
  for (const seed of seeds) {
    const { hotkey } = await service.validator(seed);
    await finishRun(hotkey, 1);
    keys.push(seed);
  }
  let isAsking = true;
  const promoting = (async () => {
    let promotions = 0;
    for (; isAsking; promotions += 1) {
      const hotkey = promotions % 2 === 0 ? 'b' : 'a';
      await addTop(service.sql, { suiteId, raceId, hotkey, score: '0.7000' });
    }
    return promotions;
  })();

  const bodies = await Promise.all(
    keys.map(async (seed, at) => {
      const call = caller(service.baseUrls[at % 3] ?? '');
      return await patientText(new TestKey(seed, call));
    }),
  );
  isAsking = false;
  t.true((await promoting) > 1);

  t.is(new Set(bodies).size, 1);
  const [stored] = await service.sql<{ body: string; count: number }[]>`
    select body, count(*) over ()::int as count from epoch_standings`;
  t.is(stored?.body, bodies[0]);
  t.is(stored?.count, 1);
  const answer = weightStandings.parse(JSON.parse(bodies[0] ?? ''));
  t.true(answer.eligible);
  t.deepEqual(answer.weight_overlay, {});
  t.is(answer.epoch_standings?.finishers.length, 2);

  // Later, after more promotions, on any edge: the same bytes.
  await addTop(service.sql, { suiteId, raceId, hotkey: 'c', score: '0.7000' });
  for (const baseUrl of service.baseUrls) {
    t.is(
      await textOf(await new TestKey('validator 0', caller(baseUrl)).get(path)),
      bodies[0] ?? '',
    );
  }
});

test.serial('a validator without a success in 24 hours gets no standings', async (t) => {
  const idle = await service.validator('idle');
  const nothing = { eligible: false, weight_overlay: {}, epoch_standings: null };
  t.like(await shaped(t, weightStandings, await idle.get(path)), nothing);

  await finishRun(idle.hotkey, 25);
  t.like(await shaped(t, weightStandings, await idle.get(path)), nothing);
  await finishRun(idle.hotkey, 23);
  t.like(await shaped(t, weightStandings, await idle.get(path)), { eligible: true });
});

test.serial('no edge serves an epoch below the newest that was ever stored', async (t) => {
  await service.sql`
    insert into epoch_standings (epoch_index, body, body_sha256, made_at)
    values (5000, ${'{"epoch_index":5000}'}, 'x', rt.clock())`;
  const { hotkey } = await service.validator('monotone');
  const ask = async (baseUrl: string) =>
    JSON.parse(await textOf(await new TestKey('monotone', caller(baseUrl)).get(path)));
  for (const baseUrl of service.baseUrls) t.is((await ask(baseUrl)).epoch_index, 5000);

  await finishRun(hotkey, 1);
  for (const baseUrl of service.baseUrls) t.deepEqual(await ask(baseUrl), { epoch_index: 5000 });
});

test.serial('miners and strangers are told nothing', async (t) => {
  const miner = await service.miner('miner');
  t.is((await miner.get(path)).status, 401);
  t.is((await service.call('GET', path)).status, 401);
});
