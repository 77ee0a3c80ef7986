import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { defaultPolicy } from '../../actors/runtime/policy.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import {
  agentCode,
  claimPath,
  episodes,
  resultsPath,
  runPath,
  submissionForm,
} from '../support/evaluation-client.ts';
import {
  type Costs,
  countingDatabase,
  leastOf,
  RequestMeter,
  type Tally,
} from '../support/request-meter.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../support/trial-suite.ts';
import {
  callerStands,
  costTable,
  type Expected,
  evaluationCost,
  heartbeatsCounted,
  type RequestCost,
  type RequestName,
  requestCosts,
  resultWalBytesMax,
} from './request-costs-bounds.ts';

// What a request costs, in counts: they say on any machine, however busy, whether it became dearer.
//
// Timers of the service share the counters, so every request is counted in several rounds, and what is
// in all of them is its own. On a machine so busy that a request takes seconds, timers are in every round:
// how much they do is known from a time when nobody asked for anything.
const roundsMin = 4;
const roundsMax = 12;
const idleMs = 3_000;
let idle: Costs | undefined;

/** Of a timer too, every two seconds: whom edges saw meanwhile, which is nobody in the idle time. */
const sightings = { 'service: insert validator': Math.ceil(idleMs / 2_000) };

/** Of the meter's sweeper, which looks much oftener here so that nothing waits for it. */
const swept = new Set(['actor: select rt.outbox_purge_pages', 'actor: select rt.outbox_due']);

const measured = new Map<string, Costs[]>();
const wholeEvaluation = 'a whole evaluation';
const expected: ReadonlyMap<string, RequestCost> = new Map([
  ...Object.entries(requestCosts),
  [wholeEvaluation, evaluationCost],
]);

test.before(async (t) => {
  t.timeout(300_000);
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await countingDatabase());
  const meter = new RequestMeter(database.sql);
  const { telemetry } = meter;
  const env = { COOLDOWN_SECONDS: '0' };
  const policy = { ...defaultPolicy, sweepEveryMs: 20 };
  const service = await startTestService({ database, telemetry, policy, env });
  stack.defer(() => service.stop());
  await meter.listen(service.natsUrl);
  stack.defer(() => meter.close());
  const suite = await openTrialSuite(service, { requiredSuccesses: 3, taskCount: 101 });
  const validator = async (seed: string) => callerOf(await service.validator(seed), service);
  const players = {
    suite,
    miner: await callerOf(await service.miner('miner'), service),
    first: await validator('first'),
    second: await validator('second'),
    last: await validator('last'),
  };
  // The board is read whole by the first who asks.
  await okBody(await service.call('GET', '/v1/public/leaderboard'));
  idle = (await meter.measure(() => delay(idleMs))).costs;
  for (let round = 0; round < roundsMax; round++) {
    if (round >= roundsMin && [...expected.keys()].every((name) => excess(name).length === 0))
      break;
    await playRound(service, meter, players);
  }
});

interface Caller {
  readonly key: TestKey;
  /** With a session. */
  readonly post: (path: string, body?: unknown) => Promise<Response>;
}

async function callerOf(key: TestKey, service: TestService): Promise<Caller> {
  const headers = { authorization: `Bearer ${await key.openSession()}` };
  return { key, post: (path, body) => service.call('POST', path, { headers, body }) };
}

interface Players {
  readonly suite: TrialSuite;
  readonly miner: Caller;
  readonly first: Caller;
  readonly second: Caller;
  readonly last: Caller;
}

/** The whole life of a version, request by request, and what the public reads of it. */
async function playRound(
  service: TestService,
  meter: RequestMeter,
  { suite, miner, first, second, last }: Players,
): Promise<void> {
  const measure = async (name: string, request: () => Promise<Response>) => {
    const send = async () => okBody<Record<string, string>>(await request());
    const { costs, answer } = await meter.measure(send);
    measured.set(name, [...(measured.get(name) ?? []), costs]);
    return answer;
  };
  const form = submissionForm({ name: 'shopper', file: agentCode });
  const { agent_version_id: version } = await measure('submission', () =>
    miner.post('/v1/miner/submit', form),
  );
  const { eval_run_id: run = '' } = await measure('claim', () => first.post(claimPath));
  const heartbeat = runPath(run, 'heartbeat');
  await measure('first heartbeat', () => first.post(heartbeat));
  await measure('heartbeat', () => first.post(heartbeat));
  await measure('heartbeat, signed', () => first.key.post(heartbeat));
  const [one, ...others] = episodes(run, suite);
  await measure('batch of 1 result', () => first.post(resultsPath, { results: [one] }));
  await measure('batch of 100 results', () => first.post(resultsPath, { results: others }));
  await measure('completion', () => first.post(runPath(run, 'complete'), success));
  await measure(wholeEvaluation, async () => {
    const own = await evaluated(second, suite);
    return await second.post(runPath(own, 'complete'), success);
  });
  const final = await evaluated(last, suite);
  await measure('last completion', () => last.post(runPath(final, 'complete'), success));

  const read = (path: string) => () => service.call('GET', `/v1/public/${path}`);
  await measure('leaderboard, changed', read('leaderboard'));
  await measure('leaderboard', read('leaderboard'));
  await measure('top', read('top'));
  await measure('top miner payout', read('top-miner-payout'));
  await measure('current suite', read('suites/current'));
  await measure('version status', read(`agent-versions/${version}/status`));
}

const success = { terminal_status: 'SUCCESS', validator_score: 0.5 };

/** A run of his that only wants its completion. */
async function evaluated({ post }: Caller, suite: TrialSuite): Promise<string> {
  const { eval_run_id: run } = await okBody<{ eval_run_id: string }>(await post(claimPath));
  for (let beat = 0; beat <= heartbeatsCounted; beat++) {
    await okBody(await post(runPath(run, 'heartbeat')));
  }
  await okBody(await post(resultsPath, { results: episodes(run, suite) }));
  return run;
}

/** How what was counted differs from what is written down; empty is what is wanted. */
function excess(name: string): readonly string[] {
  const all = measured.get(name) ?? [];
  if (all.length === 0 || idle === undefined) return ['was not counted'];
  const { statements, walBytes, inside, messages, signatures, ms } = leastOf(all);
  const cost = expected.get(name);
  if (cost === undefined) return ['is not expected'];
  const ours = Object.entries(statements).filter(([label]) => !swept.has(label));
  const wanted = { ...callerStands, ...cost.waits, ...cost.after };
  const timers = { ...idle.statements, ...sightings };
  const bytes = Object.entries(walBytes).filter(([label]) => label in wanted || !(label in timers));
  const insideMax = cost.insideMax + ofTimers(idle.inside, ms);
  return [
    ...unlike(Object.fromEntries(ours), wanted, { timers, ms }),
    ...unlike(messages, cost.messages, { timers: idle.messages, ms }),
    // An edge signs in as a newcomer would from time to time, to see how long that takes.
    ...unlike(
      { signatures },
      { signatures: cost.signatures },
      { timers: { signatures: idle.signatures }, ms },
    ),
    ...unlike({ inside }, { inside: [0, insideMax] }),
    ...unlike({ walBytes: sum(bytes) }, { walBytes: [0, cost.walBytesMax] }),
  ];
}

function unlike(
  counted: Tally,
  wanted: Expected,
  { timers, ms }: { readonly timers: Tally; readonly ms: number } = { timers: {}, ms: 0 },
): readonly string[] {
  const labels = [...new Set([...Object.keys(counted), ...Object.keys(wanted)])];
  return labels.flatMap((label) => {
    const range = wanted[label] ?? 0;
    const [least, most] = typeof range === 'number' ? [range, range] : range;
    const count = counted[label] ?? 0;
    if (count >= least && count <= most + ofTimers(timers[label] ?? 0, ms)) return [];
    return [`${label}: ${count} instead of ${least === most ? least : `${least} to ${most}`}`];
  });
}

/**
 * How often what timers do `times` in the idle time may be seen in each of so many rounds of `ms`; mostly
 * never. Once, as soon as a round sees it more often than one time in four: all of twelve might then. So
 * on a machine so busy, one more statement or message is not seen in a request, if a timer has the same.
 */
function ofTimers(times: number, ms: number): number {
  return times === 0 ? 0 : Math.floor(((times + 1) * ms) / idleMs + 0.75);
}

function sum(entries: readonly (readonly [string, number])[]): number {
  return entries.reduce((total, [, count]) => total + count, 0);
}

for (const name of expected.keys()) {
  test(`a request costs what is written down for it: ${name}`, (t) => {
    t.deepEqual(excess(name), []);
  });
}

test('a result of a batch costs the log few bytes', (t) => {
  const bytes = (name: RequestName) =>
    leastOf(measured.get(name) ?? []).walBytes['actor: rt.commit'] ?? Number.NaN;
  const each = (bytes('batch of 100 results') - bytes('batch of 1 result')) / 99;
  t.true(each <= resultWalBytesMax, `${each} bytes a result`);
});

test('their page tells what requests cost', (t) => {
  const url = new URL('../../infra/reference/request-costs.md', import.meta.url);
  t.true(readFileSync(url, 'utf8').includes(costTable()), `this is to be in it:\n${costTable()}`);
});
