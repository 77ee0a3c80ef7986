import { startTestService, type TestService } from './edge.ts';
import type { TestKey } from './edge-client.ts';
import {
  claim,
  complete,
  episode,
  evaluate,
  runPath,
  sendResults,
  submit,
} from './evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from './trial-suite.ts';
import { until } from './until.ts';

/** Two eligible versions, two judges of their race, and a third who can judge them again. */
export interface RejudgedRace {
  readonly service: TestService;
  readonly suite: TrialSuite;
  readonly first: string;
  readonly second: string;
  readonly judges: readonly [TestKey, TestKey, TestKey];
  readonly raceId: string;
}

/** What a run of each version is worth. */
type Rewards = (ofFirst: string, ofSecond: string) => ReadonlyMap<string, string>;

/** With prices, so that payouts can be told in coins: a quarter burns, 100 TAO a day at 2.5 USD. */
const env = {
  COOLDOWN_SECONDS: '0',
  REQUEST_SECONDS: '10',
  REQUIRED_SUCCESSES_RACE: '2',
  RACE_EMBARGO_SECONDS: '3600',
  BURN_RATE: '0.25',
  SUBNET_TAO_PER_DAY: '100',
  TAO_USD: '2.5',
};

/** The race is open for qualifying, and both versions qualify. */
export async function openRejudgedRace(
  differing: Readonly<Record<string, string>> = {},
): Promise<RejudgedRace> {
  const service = await startTestService({ env: { ...env, ...differing } });
  const suite = await openTrialSuite(service, { requiredSuccesses: 1 });
  const judges = await Promise.all([
    service.validator('judge 1'),
    service.validator('judge 2'),
    service.validator('judge 3'),
  ]);
  const [one, two] = await Promise.all([service.miner('one'), service.miner('two')]);
  const first = (await submit(one, { name: 'first' })).agent_version_id;
  await evaluate(judges[0], suite, '0.8');
  const second = (await submit(two, { name: 'second' })).agent_version_id;
  await evaluate(judges[0], suite, '0.7');
  const current = await service.call('GET', '/v1/public/races/current');
  const { race_id: raceId } = (await okBody<{ race: { race_id: string } }>(current)).race;
  return { service, suite, first, second, judges, raceId };
}

export function rewardsOf({ first, second }: RejudgedRace): Rewards {
  return (ofFirst, ofSecond) =>
    new Map([
      [first, ofFirst],
      [second, ofSecond],
    ]);
}

/** Claims a run of the race and evaluates it with the reward of its version. */
export async function judgeRun(
  { suite, raceId }: RejudgedRace,
  validator: TestKey,
  rewards: ReadonlyMap<string, string>,
) {
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

/** Closes qualifying and starts the race; its work is there. */
async function startRejudgedRace({ service, raceId }: RejudgedRace): Promise<void> {
  for (const order of ['close-qualifying', 'start']) {
    await okBody(await service.operator('POST', `/v1/admin/races/${raceId}/${order}`));
  }
  await until(async () => {
    const [row] = await service.sql<{ open: number }[]>`
      select count(*)::int as open from work_item where race_id = ${raceId} and state = 'OPEN'`;
    return row?.open === 2;
  });
}

export async function raceNow({ service, raceId }: RejudgedRace) {
  return await okBody<{ race: { status: string }; qualifiers: unknown[] }>(
    await service.call('GET', `/v1/public/races/${raceId}`),
  );
}

/** The first version wins with 0.8 and 0.6 over 0.6 and 0.6; `between` happens after the first run. */
export async function playRejudgedRace(
  race: RejudgedRace,
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  const rewards = rewardsOf(race);
  const [one, two] = race.judges;
  await startRejudgedRace(race);
  await judgeRun(race, one, rewards('0.8', '0.6'));
  await between();
  await judgeRun(race, one, rewards('0.8', '0.6'));
  await judgeRun(race, two, rewards('0.6', '0.6'));
  await judgeRun(race, two, rewards('0.6', '0.6'));
  await until(async () => (await raceNow(race)).race.status === 'RACE_COMPLETE');
}
