import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import {
  claim,
  complete,
  episode,
  episodes,
  runPath,
  sendResults,
  submit,
} from '../support/evaluation-client.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';
import { episodeLines, storeEpisode } from './stored-episode.ts';

/** What only somebody with bad intentions would give as a reason. */
export const hostileText = '<img src=x onerror="document.title = 1">';

/** A service with everything that the pages show, made through the API as its users would. */
export interface ShopWorld {
  readonly service: TestService;
  readonly suite: TrialSuite;
  readonly judges: readonly [TestKey, TestKey];
  readonly miner: TestKey;
  /** One of each version, in the same order; which of them is eliminated chance decides. */
  readonly miners: readonly TestKey[];
  readonly versions: readonly string[];
  /** Two runs of the first version, by either judge, with episodes of its first two tasks. */
  readonly runs: readonly [string, string];
  readonly doneRaceId: string;
  readonly runningRaceId: string;
  /** A version that nobody has claimed. */
  readonly waitingVersion: string;
  /** A version whose only run failed. */
  readonly failedVersion: string;
}

const env = {
  COOLDOWN_SECONDS: '0',
  RACE_EMBARGO_SECONDS: '0',
  BURN_RATE: '0.25',
  SUBNET_TAO_PER_DAY: '100',
  TAO_USD: '250',
  QUALIFYING_THRESHOLD: '0.1',
  ELIMINATION_SHARE: '0.25',
  REQUIRED_SUCCESSES_RACE: '2',
  MAX_CONCURRENT_RUNS: '4',
  // What is claimed is under way as long as a test file takes, however slow the machine is.
  CLAIM_LEASE_SECONDS: '3600',
  // Pages come and go faster here than a browser gives their streams back.
  EVENT_STREAMS_PER_ADDRESS: '1000',
};

const taskCount = 12;

const kilobytes = 1024;

export async function openShopWorld(): Promise<ShopWorld> {
  const service = await startTestService({ env });
  const suite = await openTrialSuite(service, { taskCount });
  const judges = [
    await service.validator('judge one'),
    await service.validator('judge two'),
  ] as const;
  const names = ['quick-shopper', 'careful-buyer', 'bargain-hunter', 'window-shopper'];
  const miners = await Promise.all(names.map((name) => service.miner(name)));
  const versions: string[] = [];
  const runs: string[] = [];
  for (const [at, miner] of miners.entries()) {
    versions.push((await submit(miner, { name: names[at] ?? '' })).agent_version_id);
    for (const [of, judge] of judges.entries()) {
      const plan = {
        suite,
        skill: 0.9 - at * 0.12,
        luck: of,
        episodeBytes: at > 0 ? [] : [64 * kilobytes, 64 * kilobytes],
      };
      runs.push(await qualify(judge, plan));
    }
  }
  const [miner] = miners;
  if (miner === undefined) throw new Error('there are four');
  const doneRaceId = await race(service, judges, { suite, entrants: versions.length });
  const late = await service.miner('a late miner');
  const failedVersion = (await submit(late, { name: 'broken' })).agent_version_id;
  await failWith(judges[0], hostileText);
  const runningRaceId = await startRace(service, 2);
  await judgeOne(judges[0], suite, 0.5);
  await judgeOne(judges[1], suite, 0.55);
  await claim(judges[0]);
  const later = await service.miner('a later miner');
  const waitingVersion = (await submit(later, { name: 'patient' })).agent_version_id;
  const [first = '', second = ''] = runs;
  return {
    ...{ service, suite, judges, miner, miners, versions, runs: [first, second] },
    ...{ doneRaceId, runningRaceId, waitingVersion, failedVersion },
  };
}

interface Plan {
  readonly suite: TrialSuite;
  readonly skill: number;
  readonly luck: number;
  /** Of the first tasks; the others have none. */
  readonly episodeBytes: readonly number[];
}

async function qualify(judge: TestKey, plan: Plan): Promise<string> {
  const { eval_run_id: id } = await claim(judge);
  const { suite, episodeBytes } = plan;
  const ledgers = await Promise.all(
    episodeBytes.map((bytes) => {
      const text = `${episodeLines(bytes, judge.hotkey).join('\n')}\n`;
      return storeEpisode(judge, { id, suite, text });
    }),
  );
  const rewards = suite.tasks.map((_, task) => rewardOf(task, plan));
  const results = episodes(id, suite, (task) => {
    const reward = rewards[task] ?? 0;
    return { ...outcomeOf(task, reward), ledger_uri: ledgers[task] ?? null };
  });
  await sendResults(judge, results);
  const sum = rewards.reduce((before, reward) => before + reward, 0);
  await finish(judge, id, sum / 1_000_000 / rewards.length);
  return id;
}

async function failWith(judge: TestKey, reason: string): Promise<void> {
  const { eval_run_id: id } = await claim(judge);
  const body = { terminal_status: 'FAILED', failure_class: 'AGENT', failure_reason: reason };
  await okBody(await complete(judge, id, body));
}

/** In 10^-6; nothing where the agent fails. */
function rewardOf(task: number, { skill, luck }: Plan): number {
  if (task % 5 === 4) return luck === 1 && task === 4 ? 400_000 : 0;
  return Math.round(Math.min(1, skill + ((task * 7) % 5) / 20 - 0.1) * 1_000_000);
}

function outcomeOf(task: number, reward: number) {
  if (reward > 0) return { aggregate_reward: (reward / 1_000_000).toFixed(6) };
  const isAgents = task !== 9;
  return {
    outcome: isAgents ? 'completed' : 'environment_error',
    verdict_correct: false,
    verdict_checks: { product: 'failed', price: 'passed' },
    aggregate_reward: null,
    ...(isAgents ? {} : { terminal_state_hash: null }),
  };
}

async function finish(judge: TestKey, id: string, score: number): Promise<void> {
  const body = { terminal_status: 'SUCCESS', validator_score: score };
  await okBody(await complete(judge, id, body));
}

export async function currentRaceId(service: TestService): Promise<string> {
  const current = await service.call('GET', '/v1/public/races/current');
  return (await okBody<{ race: { race_id: string } }>(current)).race.race_id;
}

async function startRace(service: TestService, entrants: number): Promise<string> {
  const raceId = await currentRaceId(service);
  for (const order of ['close-qualifying', 'start']) {
    await okBody(await service.operator('POST', `/v1/admin/races/${raceId}/${order}`));
  }
  await until(async () => {
    const [row] = await service.sql<{ open: number }[]>`
      select count(*)::int as open from work_item where race_id = ${raceId} and state = 'OPEN'`;
    return (row?.open ?? 0) >= entrants;
  });
  return raceId;
}

/** Claims one run of a race and gives all its tasks the reward. */
export async function judgeOne(judge: TestKey, suite: TrialSuite, reward: number): Promise<void> {
  const { eval_run_id: id } = await claim(judge);
  const { problems } = await okBody<{ problems: { metadata: never }[] }>(
    await judge.get(runPath(id, 'problems')),
  );
  const results = problems.map(({ metadata: task }) =>
    episode(id, { suite, task }, { aggregate_reward: reward.toFixed(6) }),
  );
  await sendResults(judge, results);
  await finish(judge, id, reward);
}

async function race(
  service: TestService,
  judges: readonly [TestKey, TestKey],
  of: { readonly suite: TrialSuite; readonly entrants: number },
): Promise<string> {
  const raceId = await startRace(service, of.entrants);
  for (const [at, judge] of judges.entries()) {
    for (let count = 0; count < of.entrants; count++) {
      await judgeOne(judge, of.suite, 0.8 - count * 0.1 - at * 0.03);
    }
  }
  await until(async () => {
    const answer = await service.call('GET', `/v1/public/races/${raceId}`);
    return (await okBody<{ race: { status: string } }>(answer)).race.status === 'RACE_COMPLETE';
  });
  return raceId;
}
