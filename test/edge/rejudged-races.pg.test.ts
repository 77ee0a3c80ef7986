import test, { type ExecutionContext } from 'ava';
import { runPages } from '../../actors/services/bundles/store.ts';
import { rejudging } from '../spec/answers/rejudgings.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import {
  claim,
  claimPath,
  complete,
  episode,
  evaluate,
  runPath,
  sendResults,
  submit,
} from '../support/evaluation-client.ts';
import { tellsOneStory } from '../support/one-story.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { invalid, refused, shaped } from './routes/answers.ts';

// A race whose runs are judged again once it is over, through the service as it is.

let service: TestService;
let suite: TrialSuite;
let first: string;
let second: string;
let raceId: string;
let judges: readonly [TestKey, TestKey, TestKey];

test.before(async () => {
  service = await startTestService({
    env: {
      COOLDOWN_SECONDS: '0',
      REQUEST_SECONDS: '10',
      REQUIRED_SUCCESSES_RACE: '2',
      RACE_EMBARGO_SECONDS: '3600',
      BURN_RATE: '0.25',
      SUBNET_TAO_PER_DAY: '100',
      TAO_USD: '2.5',
    },
  });
  suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  judges = await Promise.all([
    service.validator('judge 1'),
    service.validator('judge 2'),
    service.validator('judge 3'),
  ]);
  const [one, two] = await Promise.all([service.miner('one'), service.miner('two')]);
  first = (await submit(one, { name: 'first' })).agent_version_id;
  await evaluate(judges[0], suite, '0.8');
  second = (await submit(two, { name: 'second' })).agent_version_id;
  await evaluate(judges[0], suite, '0.7');
});
test.after.always(() => service?.stop());

const create = (body: object) => service.operator('POST', '/v1/admin/rejudgings', { body });
const ofRace = { phase: 'RACE' };
const race = async () =>
  await okBody<{ race: { status: string }; qualifiers: unknown[] }>(
    await service.call('GET', `/v1/public/races/${raceId}`),
  );

/** Claims a run of the race and evaluates it with the reward of its version. */
async function judge(validator: TestKey, rewards: ReadonlyMap<string, string>) {
  const { eval_run_id: id, agent_version_id: versionId } = await claim(validator);
  const pack = await validator.post(`/v1/validator/race/${raceId}/pack`);
  const { problems } = await okBody<{ problems: { metadata: never }[] }>(
    await validator.get(runPath(id, 'problems')),
  );
  const reward = rewards.get(versionId) ?? '0';
  const results = problems.map(({ metadata: task }) =>
    episode(id, { suite, task }, { aggregate_reward: reward }),
  );
  const { counts } = await sendResults(validator, results);
  const body = { terminal_status: 'SUCCESS', validator_score: Number(reward) };
  const completed = await okBody<{ final_score: number | null }>(
    await complete(validator, id, body),
  );
  return { packStatus: pack.status, counts, completed };
}

const rewards = (ofFirst: string, ofSecond: string) =>
  new Map([
    [first, ofFirst],
    [second, ofSecond],
  ]);

async function play(t: ExecutionContext): Promise<void> {
  const current = await service.call('GET', '/v1/public/races/current');
  raceId = (await okBody<{ race: { race_id: string } }>(current)).race.race_id;
  for (const order of ['close-qualifying', 'start']) {
    const answer = await service.operator('POST', `/v1/admin/races/${raceId}/${order}`);
    t.is(answer.status, 200, await answer.text());
  }
  await until(async () => {
    const [row] = await service.sql<{ open: number }[]>`
      select count(*)::int as open from work_item where race_id = ${raceId} and state = 'OPEN'`;
    return row?.open === 2;
  });
  await judge(judges[0], rewards('0.8', '0.6'));
  const refusal = await refused(t, await create(ofRace), '409 RACE_LOCKED');
  t.true(refusal.detail.includes(raceId));
  await judge(judges[0], rewards('0.8', '0.6'));
  await judge(judges[1], rewards('0.6', '0.6'));
  await judge(judges[1], rewards('0.6', '0.6'));
  await until(async () => (await race()).race.status === 'RACE_COMPLETE');
}

test.serial('runs of a race are judged again once it is over, and it stands', async (t) => {
  t.is(await invalid(t, await create(ofRace)), 'body');
  await play(t);
  const ended = await race();
  const ofFirstJudge = { ...ofRace, validator_hotkey: judges[0].hotkey, reason: 'a wrong clock' };
  const made = await shaped(t, rejudging, await create(ofFirstJudge));
  const path = `/v1/admin/rejudgings/${made.rejudging_id}`;
  t.like(made, { status: 'OPEN', runs: { selected: 2 } });
  const scoreOf = (id: string) =>
    made.items.find((item) => item.agent_version_id === id)?.validator_score;
  t.deepEqual([scoreOf(first), scoreOf(second)], [0.8, 0.6]);
  t.true(made.items.every((item) => item.race_id === raceId));
  t.is((await judges[0].post(claimPath)).status, 204);
  t.is((await judges[1].post(claimPath)).status, 204);

  for (const _ of [first, second]) {
    const judged = await judge(judges[2], rewards('0.2', '0.9'));
    t.is(judged.packStatus, 200);
    t.deepEqual(judged.counts, { '201': 2 });
    t.is(judged.completed.final_score, null);
  }
  const after = await judges[2].post(`/v1/validator/race/${raceId}/pack`);
  await refused(t, after, '403 NO_ACTIVE_WORK');

  const ready = await shaped(t, rejudging, await service.operator('GET', path));
  t.like(ready, { status: 'READY', runs: { evaluated: 2 } });
  const [difference] = ready.difference.races;
  t.like(difference, {
    race_id: raceId,
    is_frozen: true,
    winner_agent_version_id: { before: first, after: second },
    top_agent_version_id: { before: first, after: second },
  });
  // (0.8 + 0.6) / 2 becomes (0.2 + 0.6) / 2, and (0.6 + 0.6) / 2 becomes (0.9 + 0.6) / 2.
  const entrant = (id: string) => difference?.entrants.find((each) => each.agent_version_id === id);
  t.like(entrant(first), {
    is_judged: true,
    race_score: { before: 0.7, after: 0.4 },
    race_rank: { before: 1, after: 2 },
    is_eliminated: { before: false, after: true },
  });
  t.like(entrant(second), {
    race_score: { before: 0.6, after: 0.75 },
    race_rank: { before: 2, after: 1 },
    is_eliminated: { before: true, after: false },
  });
  const stored = await service.sql<{ id: string | null; units: string }[]>`
    select agent_version_id as id, units::text as units from race_emission
    where race_id = ${raceId} order by position`;
  const [burn, top] = stored;
  t.deepEqual(stored.map(({ id }) => id) as unknown, [null, first]);
  // A quarter burns, the rest is the top's; 100 TAO a day at 2.5 USD.
  t.is(difference?.burn.before.units, burn?.units);
  t.is(difference?.burn.after.units, burn?.units);
  t.is(entrant(first)?.payout.before.units, top?.units);
  t.is(entrant(second)?.payout.after.units, top?.units);
  const nothing = { units: '0', tao_per_day: 0, usd_per_day: 0 };
  t.deepEqual(entrant(first)?.payout.after, nothing);
  t.deepEqual(entrant(second)?.payout.before, nothing);
  t.true(Math.abs((entrant(second)?.payout.after.tao_per_day ?? 0) - 75) < 0.01);
  t.true(Math.abs((entrant(second)?.payout.after.usd_per_day ?? 0) - 187.5) < 0.01);

  const applied = await shaped(t, rejudging, await service.operator('POST', `${path}/apply`));
  t.like(applied, { status: 'APPLIED', runs: { applied: 0 } });
  t.true(applied.items.every((item) => item.status === 'DROPPED' && item.reason === 'RACE_OVER'));
  t.deepEqual(applied.difference, ready.difference);
  t.deepEqual(await race(), ended);
});

test.serial('what is published of the race knows nothing of it', async (t) => {
  const told: string[] = [];
  for await (const page of runPages(service.sql, raceId)) {
    told.push(...page.map((run) => run.validator_hotkey));
  }
  t.is(told.length, 4);
  t.false(told.includes(judges[2].hotkey));
  await tellsOneStory(t, service.sql);
});
