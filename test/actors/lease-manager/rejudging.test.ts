import test, { type ExecutionContext } from 'ava';
import { randomId } from '../../../infra/ids/ids.ts';
import { checkFolds, checkVersion } from '../../support/eval-invariants.ts';
import {
  type ClaimedRun,
  EvalWorld,
  episode,
  evalPolicy,
  noOrders,
  type OwnRun,
  versionIdAt,
} from '../../support/eval-world.ts';

const one = versionIdAt(1);
const ofOne = { agentVersionIds: [one] };
const results = (rewardMicro: number) => [0, 1, 2].map((index) => episode(index, { rewardMicro }));

function finish(world: EvalWorld, own: OwnRun, scoreMicro: number): OwnRun {
  world.append(own, results(scoreMicro));
  world.complete(own, { scoreMicro });
  return own;
}

/** Version 1, eligible at 0.5 by the runs of val-a (0.4) and val-b (0.6). */
function eligible() {
  const world = new EvalWorld();
  world.state.orders = noOrders;
  world.submit(1);
  const first = finish(world, world.run('val-a'), 400_000);
  const second = finish(world, world.run('val-b'), 600_000);
  return { world, first, second };
}

function rejudge(world: EvalWorld, ...runs: OwnRun[]): string {
  const rejudgingId = randomId();
  const refs = runs.map(({ agentVersionId, evalRunId }) => ({ agentVersionId, evalRunId }));
  world.ok('open-rejudging', { rejudgingId, ...ofOne, raceIds: [], runs: refs });
  return rejudgingId;
}

const judgings = (world: EvalWorld) =>
  [...world.version(1).items.values()]
    .map(({ state }) => state)
    .filter(({ context }) => context.rejudges !== null);
const preferredOf = (world: EvalWorld) => judgings(world).map(({ context }) => context.workItemId);
const claim = (world: EvalWorld, hotkey: string): ClaimedRun | null =>
  world.claim(hotkey, { preferred: preferredOf(world) });

function judge(world: EvalWorld, validatorHotkey: string): OwnRun {
  const claimed = claim(world, validatorHotkey);
  if (claimed === null) throw new Error('there is nothing to judge again');
  const { agentVersionId, evalRunId } = claimed;
  return { agentVersionId, evalRunId, validatorHotkey };
}

const mean = (world: EvalWorld) => world.version(1).version.state.context.scores.mean;

test('a run is judged again by name only, and by nobody who has a say in the score', (t) => {
  const { world, first } = eligible();
  rejudge(world, first);

  t.is(world.claim('val-c'), null);
  t.is(claim(world, 'val-a'), null);
  t.is(claim(world, 'val-b'), null);
  t.is(claim(world, 'miner-1'), null);
  t.not(claim(world, 'val-c'), null);
});

test('a verdict changes nothing until it is applied, and then the score at once', (t) => {
  const { world, first } = eligible();
  const before = world.version(1).version.state;
  const rejudgingId = rejudge(world, first);

  const own = judge(world, 'val-c');
  world.append(own, results(800_000));
  const reply = world.complete(own, { scoreMicro: 800_000 });

  t.like(reply, { status: 'SUCCESS', becameEligible: false, finalScore: '0.5000' });
  t.like(reply, { includedSuccessCount: 2, requiredSuccesses: 2, isClosed: true });
  t.deepEqual(world.version(1).version.state, before);
  t.like(world.runState(own).context, { isIncluded: false, exclusionReason: 'REJUDGING' });
  t.is(judgings(world)[0]?.value, 'judged');

  world.ok('apply-rejudging', { rejudgingId, ...ofOne });

  t.is(mean(world), '0.7000');
  t.like(world.runState(first).context, { isIncluded: false, exclusionReason: 'REJUDGED' });
  t.like(world.runState(own).context, { isIncluded: true, exclusionReason: null });
  t.is(world.runState(own).context.workItemId, world.runState(first).context.workItemId);
  t.is(world.itemState(1).value, 'closed');
  t.is(judgings(world)[0]?.value, 'applied');
  checkVersionOfOne(world);
  checkFolds(world);
});

function checkVersionOfOne(world: EvalWorld): void {
  const { version, items, runs } = world.version(1);
  const own = [...items].filter(([, { state }]) => state.context.rejudges === null);
  checkVersion({ version, items: new Map(own), runs });
}

test('an order to apply that comes twice changes nothing the second time', (t) => {
  const { world, first } = eligible();
  const rejudgingId = rejudge(world, first);
  finish(world, judge(world, 'val-c'), 800_000);
  world.ok('apply-rejudging', { rejudgingId, ...ofOne });

  const { decision } = world.do('apply-rejudging', { rejudgingId, ...ofOne });

  t.is(decision.changes, undefined);
});

test('what replaced a run may be excluded, included and judged again like any other', (t) => {
  const { world, first } = eligible();
  const rejudgingId = rejudge(world, first);
  const own = finish(world, judge(world, 'val-c'), 800_000);
  world.ok('apply-rejudging', { rejudgingId, ...ofOne });

  world.ok('exclude-run', { ...own, reason: 'odd' });
  t.is(mean(world), null);
  world.ok('include-run', own);
  t.is(mean(world), '0.7000');
  const again = rejudge(world, own);
  finish(world, judge(world, 'val-a'), 200_000);
  world.ok('apply-rejudging', { rejudgingId: again, ...ofOne });
  t.is(mean(world), '0.4000');
  checkFolds(world);
});

/** Room is there for another success, so that nothing but its place can keep a run from counting. */
function replacedWithRoom() {
  const { world, first, second } = eligible();
  const rejudgingId = rejudge(world, first);
  const own = finish(world, judge(world, 'val-c'), 800_000);
  world.ok('apply-rejudging', { rejudgingId, ...ofOne });
  world.ok('exclude-run', { ...second, reason: 'odd' });
  return { world, first, own };
}

function isTaken(t: ExecutionContext, world: EvalWorld, run: OwnRun): void {
  const before = [world.runState(run), world.itemState(1)];
  t.deepEqual(world.refusal('include-run', run), {
    code: 'RUN_NOT_INCLUDABLE',
    extras: { run_status: 'SUCCESS' },
  });
  t.deepEqual([world.runState(run), world.itemState(1)], before);
  checkVersionOfOne(world);
}

test('a run that was judged again and what replaced it never both count', (t) => {
  const { world, first, own } = replacedWithRoom();
  isTaken(t, world, first);

  world.ok('exclude-run', { ...own, reason: 'odd' });
  t.like(world.ok('include-run', first), { isIncluded: true });
  isTaken(t, world, own);

  world.ok('exclude-run', { ...first, reason: 'odd' });
  t.like(world.ok('include-run', own), { isIncluded: true });
  checkFolds(world);
});

test('one of all the runs that ever held one place counts', (t) => {
  const { world, first, own } = replacedWithRoom();
  const again = rejudge(world, own);
  const third = finish(world, judge(world, 'val-d'), 200_000);
  world.ok('apply-rejudging', { rejudgingId: again, ...ofOne });
  isTaken(t, world, first);
  isTaken(t, world, own);

  world.ok('exclude-run', { ...third, reason: 'odd' });
  world.ok('include-run', first);
  const sibling = rejudge(world, first);
  finish(world, judge(world, 'val-e'), 300_000);
  world.ok('apply-rejudging', { rejudgingId: sibling, ...ofOne });
  for (const run of [first, own, third]) isTaken(t, world, run);
  checkFolds(world);
});

test('two successes of a version are judged again by two others', (t) => {
  const { world, first, second } = eligible();
  const rejudgingId = rejudge(world, first, second);

  finish(world, judge(world, 'val-c'), 800_000);
  t.is(claim(world, 'val-c'), null);
  finish(world, judge(world, 'val-d'), 900_000);
  world.ok('apply-rejudging', { rejudgingId, ...ofOne });

  t.is(mean(world), '0.8500');
});

test('a run whose success no longer counts is judged by nobody and replaced by nothing', (t) => {
  const { world, first, second } = eligible();
  world.ok('exclude-run', { ...first, reason: 'odd' });
  rejudge(world, first);
  t.like(judgings(world)[0]?.context, { closeReason: 'RUN_EXCLUDED' });
  const rejudgingId = rejudge(world, second);
  finish(world, judge(world, 'val-c'), 800_000);
  world.ok('exclude-run', { ...second, reason: 'odd too' });

  world.ok('apply-rejudging', { rejudgingId, ...ofOne });

  t.like(judgings(world)[1], { value: 'cancelled', context: { closeReason: 'RUN_EXCLUDED' } });
  t.is(world.itemState(1).context.included.length, 0);
});

test('a verdict of a validator that counts by now, or is banned, is dropped', (t) => {
  const { world, first, second } = eligible();
  const rejudgingId = rejudge(world, first);
  finish(world, judge(world, 'val-c'), 800_000);
  world.ok('exclude-run', { ...second, reason: 'odd' });
  finish(world, world.run('val-c'), 300_000);
  world.ok('apply-rejudging', { rejudgingId, ...ofOne });
  t.like(judgings(world)[0]?.context, { closeReason: 'SAME_VALIDATOR' });
  t.is(mean(world), '0.3500');

  const later = rejudge(world, first);
  finish(world, judge(world, 'val-d'), 800_000);
  world.state.orders = { ...noOrders, bannedHotkeys: new Set(['val-d']) };
  world.ok('apply-rejudging', { rejudgingId: later, ...ofOne });
  t.like(judgings(world)[1]?.context, { closeReason: 'VALIDATOR_BANNED' });
  t.is(mean(world), '0.3500');
});

test('a discard ends what was to be judged again, and no reinstatement opens it', (t) => {
  const { world, first } = eligible();
  rejudge(world, first);
  const own = judge(world, 'val-c');

  world.ok('discard-version', { agentVersionId: one, reason: 'copied' });

  t.is(world.runState(own).value, 'cancelled');
  t.like(judgings(world)[0], { value: 'cancelled', context: { closeReason: 'VERSION_DISCARDED' } });
  world.ok('reinstate-version', { agentVersionId: one });
  t.is(judgings(world)[0]?.value, 'cancelled');
  t.is(mean(world), '0.5000');
});

test('another suite ends what was to be judged again, also of eligible versions', (t) => {
  const { world, first } = eligible();
  rejudge(world, first);
  world.state.orders = { ...noOrders, activeSuiteId: 2 };

  world.ok('suite-activated', { suiteId: 2 });

  t.like(judgings(world)[0]?.context, { closeReason: 'SUITE_SUPERSEDED' });
  t.is(world.version(1).version.state.value, 'eligible');
});

test('a suite that is back at once ends what was to be judged before it, and nothing since', (t) => {
  const { world, first } = eligible();
  rejudge(world, first);
  world.state.orders = { ...noOrders, activatedAtMs: world.nowMs - 10_000 };
  world.ok('suite-activated', { suiteId: 1 });
  t.is(judgings(world)[0]?.value, 'open');

  world.state.orders = { ...noOrders, activatedAtMs: world.nowMs + 10_000 };
  world.ok('suite-activated', { suiteId: 1 });
  t.like(judgings(world)[0]?.context, { closeReason: 'SUITE_SUPERSEDED' });
});

for (const [known, since] of [
  ['became active', () => ({ activeSuiteId: 2 })],
  ['was active for a while', (nowMs: number) => ({ activatedAtMs: nowMs + 10_000 })],
] as const) {
  test(`a verdict of before another suite ${known} is dropped, and what the former one came to stands`, (t) => {
    const { world, first } = eligible();
    const rejudgingId = rejudge(world, first);
    finish(world, judge(world, 'val-c'), 800_000);
    world.state.orders = { ...noOrders, ...since(world.nowMs) };

    world.ok('apply-rejudging', { rejudgingId, ...ofOne });

    t.like(judgings(world)[0], {
      value: 'cancelled',
      context: { closeReason: 'SUITE_SUPERSEDED' },
    });
    t.is(mean(world), '0.5000');
  });
}

test('a cancelled rejudging ends its runs and drops its verdicts, and opens no more', (t) => {
  const { world, first, second } = eligible();
  const rejudgingId = rejudge(world, first, second);
  finish(world, judge(world, 'val-c'), 800_000);
  const live = judge(world, 'val-d');

  world.ok('cancel-rejudging', { rejudgingId, ...ofOne });

  t.is(world.runState(live).value, 'cancelled');
  t.deepEqual(
    judgings(world).map(({ value, context }) => [value, context.closeReason]),
    [
      ['cancelled', 'REJUDGING_CANCELLED'],
      ['cancelled', 'REJUDGING_CANCELLED'],
    ],
  );
  t.is(mean(world), '0.5000');
  world.state.orders = { ...noOrders, endedRejudgings: new Set([rejudgingId]) };
  const refs = [{ agentVersionId: one, evalRunId: first.evalRunId }];
  world.ok('open-rejudging', { rejudgingId, ...ofOne, raceIds: [], runs: refs });
  t.is(judgings(world).length, 2);
});

test('failures of runs that judge again blame nobody, and end the judging at the limit', (t) => {
  const { world, first } = eligible();
  rejudge(world, first);
  const failed = { terminalStatus: 'FAILED', scoreMicro: null, failureClass: 'AGENT' };
  for (const validator of ['val-c', 'val-d', 'val-e']) {
    t.is(judgings(world)[0]?.value, 'open');
    world.complete(judge(world, validator), failed);
  }

  t.like(judgings(world)[0], { value: 'cancelled', context: { closeReason: 'AGENT_FAILURES' } });
  t.is(world.version(1).version.state.context.consecutiveAgentFailures, 0);
  t.is(world.version(1).version.state.value, 'eligible');
});

test('what the agent failed by before it was judged again ends no judging', (t) => {
  const world = new EvalWorld();
  world.state.orders = noOrders;
  world.submit(1);
  const failed = { terminalStatus: 'FAILED', scoreMicro: null, failureClass: 'AGENT' };
  for (const validator of ['val-x', 'val-y']) world.complete(world.run(validator), failed);
  const first = finish(world, world.run('val-a'), 400_000);
  finish(world, world.run('val-b'), 600_000);
  rejudge(world, first);

  world.complete(judge(world, 'val-c'), failed);

  t.is(judgings(world)[0]?.value, 'open');
  t.not(claim(world, 'val-d'), null);
});

test('a run that judges again and falls silent is offered again', (t) => {
  const { world, first } = eligible();
  rejudge(world, first);
  const silent = judge(world, 'val-c');

  world.pass(evalPolicy.claimLeaseMs + 1);

  t.is(world.runState(silent).value, 'stale');
  t.not(claim(world, 'val-d'), null);
  t.is(world.version(1).version.state.context.scores.mean, '0.5000');
});
