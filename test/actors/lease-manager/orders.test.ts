import test from 'ava';
import {
  EvalWorld,
  episode,
  evalPolicy,
  noOrders,
  type OwnRun,
  submission,
  suiteOf,
  versionIdAt,
} from '../../support/eval-world.ts';

const results = [episode(0), episode(1), episode(2)];
const one = { agentVersionId: versionIdAt(1) };
const reason = 'an operator said so';

function succeed(world: EvalWorld, validatorHotkey: string, slot = 0): OwnRun {
  const own = world.run(validatorHotkey, { slot });
  world.append(own, results);
  world.complete(own);
  return own;
}

function fail(world: EvalWorld, validatorHotkey: string, failureClass: string): void {
  const failed = { terminalStatus: 'FAILED', scoreMicro: null, failureClass };
  world.complete(world.run(validatorHotkey), failed);
}

/** Version 1, eligible by the runs of val-a and val-b. */
function eligible(): { world: EvalWorld; runs: [OwnRun, OwnRun] } {
  const world = new EvalWorld();
  world.submit(1);
  return { world, runs: [succeed(world, 'val-a'), succeed(world, 'val-b')] };
}

function outbox(world: EvalWorld, subject: string): unknown[] {
  return world.decisions
    .flatMap(({ changes }) => changes?.outbox ?? [])
    .filter((row) => row.subject === subject)
    .map(({ body }) => body);
}

test('an exclusion takes the score at once, and the version stays eligible', (t) => {
  const { world, runs } = eligible();

  const reply = world.ok('exclude-run', { ...runs[0], reason });

  t.deepEqual(reply, {
    evalRunId: runs[0].evalRunId,
    status: 'SUCCESS',
    isIncluded: false,
    exclusionReason: reason,
  });
  t.is(world.version(1).version.state.value, 'eligible');
  t.is(world.version(1).version.state.context.scores.mean, null);
  t.is(world.itemState(1).value, 'open');
  t.deepEqual(world.ok('exclude-run', { ...runs[0], reason: 'again' }), reply);
  t.is(world.decisions.at(-1)?.changes, undefined);
  succeed(world, 'val-c');
  t.is(world.version(1).version.state.context.scores.mean, '0.5000');
  t.is(outbox(world, 'fact.version-eligible').length, 1);
});

test('a success that is included again closes its work and ends what took its place', (t) => {
  const { world, runs } = eligible();
  world.ok('exclude-run', { ...runs[0], reason });
  const substitute = world.run('val-c');

  const reply = world.ok('include-run', runs[0]);

  t.like(reply, { isIncluded: true, exclusionReason: null });
  t.is(world.itemState(1).value, 'closed');
  t.like(world.runState(substitute), { value: 'cancelled', context: { faultClass: null } });
  t.is(world.version(1).version.state.context.scores.mean, '0.5000');
  t.deepEqual(world.ok('include-run', runs[0]), reply);
});

test('a success for which there is no room any more says so and does not count', (t) => {
  const { world, runs } = eligible();
  world.ok('exclude-run', { ...runs[0], reason });
  succeed(world, 'val-c');

  const reply = world.ok('include-run', runs[0]);

  t.like(reply, { status: 'SUCCESS', isIncluded: false, exclusionReason: 'BEYOND_REQUIRED' });
  t.is(world.itemState(1).context.included.length, 2);
});

test('an inclusion takes its slot from the youngest run, its own validator’s first', (t) => {
  const world = new EvalWorld(suiteOf(3, { requiredSuccessesQualifying: 3 }));
  world.submit(1);
  const own = succeed(world, 'val-a');
  world.ok('exclude-run', { ...own, reason });
  const live = ['val-b', 'val-c', 'val-d'].map((validator) => world.run(validator));

  world.ok('include-run', own);
  t.deepEqual(
    live.map((run) => world.runState(run).value),
    ['claimed', 'claimed', 'cancelled'],
  );

  world.ok('exclude-run', { ...own, reason });
  const second = world.run('val-a');
  world.ok('include-run', own);
  t.deepEqual(
    [...live, second].map((run) => world.runState(run).value),
    ['claimed', 'claimed', 'cancelled', 'cancelled'],
  );
});

test('a banned validator’s success and a partial one are not to be included', (t) => {
  const { world, runs } = eligible();
  world.ok('exclude-run', { ...runs[0], reason });
  world.state.orders = { ...noOrders, bannedHotkeys: new Set(['val-a']) };
  t.like(world.ok('include-run', runs[0]), {
    isIncluded: false,
    exclusionReason: 'VALIDATOR_BANNED',
  });

  const legacy = new EvalWorld(
    suiteOf(3, { executionKind: 'legacy_benchmark', envPackSha256: null }),
  );
  legacy.submit(1);
  const partial = legacy.run('val-a');
  legacy.complete(partial, { scoreComponents: { scored_problems: 2, total_problems: 3 } });
  t.like(legacy.ok('include-run', partial), { isIncluded: false, exclusionReason: 'INCOMPLETE' });
});

test('a partial success stays partial, whatever becomes of its validator', (t) => {
  const world = new EvalWorld(
    suiteOf(3, { executionKind: 'legacy_benchmark', envPackSha256: null }),
  );
  world.submit(1);
  const partial = world.run('val-a');
  world.complete(partial, { scoreComponents: { scored_problems: 2, total_problems: 3 } });
  const incomplete = { isIncluded: false, exclusionReason: 'INCOMPLETE' };
  const banned = new Set(['val-a']);
  world.state.orders = { ...noOrders, bannedHotkeys: banned };
  world.ok('hotkey-banned', { hotkey: 'val-a' });

  t.like(world.ok('include-run', partial), incomplete);
  world.state.orders = noOrders;
  world.ok('hotkey-unbanned', { hotkey: 'val-a' });
  t.like(world.ok('exclude-run', { ...partial, reason }), incomplete);
  t.like(world.ok('include-run', partial), incomplete);
  t.deepEqual(world.itemState(1).context.included, []);
});

test('a reclaimed run is stale at once, and its work is free without a hold', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');

  const reply = world.ok('reclaim-run', own);

  t.like(reply, { status: 'STALE', isIncluded: false });
  t.deepEqual(world.ok('reclaim-run', own), reply);
  t.deepEqual(world.refusal('heartbeat', own), {
    code: 'LEASE_EXPIRED',
    extras: { run_status: 'STALE' },
  });
  t.is(world.itemState(1).context.troubles, 0);
  t.not(world.claim('val-b'), null);
});

test('an order that cannot do what it says is refused, and changes nothing', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const [live, failed] = [world.run('val-a'), world.run('val-b')];
  const blamed = { terminalStatus: 'FAILED', scoreMicro: null, failureClass: 'PLATFORM' };
  world.complete(failed, blamed);
  const left = succeed(world, 'val-d');
  world.ok('exclude-run', { ...left, reason });
  const cancelled = world.run('val-c');
  const refused = (order: string, own: OwnRun) => world.refusal(order, { ...own, reason });

  const isLive = { code: 'RUN_STILL_LIVE', extras: { run_status: 'CLAIMED' } };
  t.deepEqual(refused('exclude-run', live), isLive);
  t.deepEqual(refused('include-run', live), isLive);
  const hasFailed = { code: 'RUN_NOT_SUCCESSFUL', extras: { run_status: 'FAILED' } };
  t.deepEqual(refused('exclude-run', failed), hasFailed);
  t.deepEqual(refused('include-run', failed), hasFailed);
  t.deepEqual(refused('reclaim-run', failed), {
    code: 'RUN_NOT_LIVE',
    extras: { run_status: 'FAILED' },
  });
  world.ok('discard-version', { ...one, reason });
  t.is(refused('reclaim-run', cancelled).code, 'RUN_NOT_LIVE');
  t.is(refused('include-run', left).code, 'RUN_NOT_INCLUDABLE');
  t.like(world.runState(left).context, { isIncluded: false, exclusionReason: reason });
});

test('a discard ends the version and its work everywhere, and tells the race', (t) => {
  const { world } = eligible();
  const raceId = world.startRace();
  const own = world.run('val-a');

  t.deepEqual(world.ok('discard-version', { ...one, reason: 'AGENT_FAILURES' }), {
    ...one,
    state: 'DISCARDED',
  });
  t.deepEqual(world.ok('discard-version', { ...one, reason }), { ...one, state: 'DISCARDED' });

  t.like(world.runState(own), { value: 'cancelled', context: { endReason: 'VERSION_DISCARDED' } });
  t.is(world.raceItem(raceId).value, 'cancelled');
  t.deepEqual(outbox(world, 'evt.race.1.version-discarded'), [{ ...one, atMs: world.nowMs }]);
  t.deepEqual(outbox(world, 'evt.race.1.work-changed'), [{ raceId, ...one }]);
  // Whatever an operator writes: the cooldown is for three faults of the agent's own.
  t.false(world.decisions.some(({ changes }) => changes?.operations['shorten_cooldown']));
});

test('an eligible version that is reinstated races again, with its faults forgiven', (t) => {
  const { world } = eligible();
  const raceId = world.startRace();
  for (const validator of ['val-a', 'val-b', 'val-c']) fail(world, validator, 'AGENT');
  t.is(world.version(1).version.state.value, 'discarded');

  t.deepEqual(world.ok('reinstate-version', one), { ...one, state: 'ELIGIBLE' });

  t.like(world.version(1).version.state.context, {
    consecutiveAgentFailures: 0,
    discardReason: null,
    discardedAt: null,
    scores: { mean: '0.5000' },
  });
  t.is(world.raceItem(raceId).value, 'open');
  t.not(world.claim('val-d'), null);
  t.deepEqual(world.ok('reinstate-version', one), { ...one, state: 'ELIGIBLE' });
});

// Else the race that is closed at this moment may miss it, or take it in half.
test('what takes a version out of the next race or into it goes wholly before its close or after', (t) => {
  const { world } = eligible();
  for (const order of ['discard-version', 'reinstate-version']) {
    world.ok(order, { ...one, reason });
    const gate = world.decisions.at(-1)?.changes?.operations['race_gate'] ?? [];
    t.true(
      gate.some((row) => row['suite_id'] === 1),
      order,
    );
  }
});

test('a version that was not eligible goes on where it stood', (t) => {
  const world = new EvalWorld();
  for (const index of [1, 2]) {
    world.nowMs += 1;
    world.submit(index);
  }
  const first = world.run('val-a');
  t.is(first.agentVersionId, versionIdAt(1));
  world.append(first, results);
  world.complete(first);
  for (const index of [1, 2]) {
    world.ok('discard-version', { agentVersionId: versionIdAt(index), reason });
    t.is(world.itemState(index).value, 'cancelled');
  }

  const states = [1, 2].map((index) =>
    world.ok('reinstate-version', { agentVersionId: versionIdAt(index) }),
  );

  t.deepEqual(
    states.map(({ state }) => state),
    ['RUNNING', 'QUEUED'],
  );
  t.is(world.itemState(1).context.included.length, 1);
  succeed(world, 'val-b');
  t.is(world.version(1).version.state.value, 'eligible');
});

test('a suite that was superseded meanwhile has ended a version that comes back', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  world.ok('discard-version', { ...one, reason });
  world.state.orders = { ...noOrders, activeSuiteId: 2 };

  t.deepEqual(world.ok('reinstate-version', one), { ...one, state: 'CANCELLED' });
  t.is(world.claim('val-a'), null);
});

test('a run that is excluded from a discarded version opens no work', (t) => {
  const { world, runs } = eligible();
  world.ok('discard-version', { ...one, reason });

  world.ok('exclude-run', { ...runs[0], reason });

  t.is(world.itemState(1).value, 'cancelled');
  t.is(world.version(1).version.state.context.scores.mean, null);
  t.is(world.claim('val-c'), null);
  world.ok('reinstate-version', one);
  t.is(world.itemState(1).value, 'open');
});

test('work of a banned miner that opens again waits', (t) => {
  const { world, runs } = eligible();
  world.state.orders = { ...noOrders, bannedHotkeys: new Set(['miner-1']) };
  world.ok('hotkey-banned', { hotkey: 'miner-1' });

  world.ok('exclude-run', { ...runs[0], reason });

  t.true(world.itemState(1).context.isMinerBanned);
  t.is(world.claim('val-c'), null);
  const raceId = world.startRace();
  t.true(world.raceItem(raceId).context.isMinerBanned);
});

test('orders for what is unknown or over are refused', (t) => {
  const { world, runs } = eligible();
  const unknown = { agentVersionId: versionIdAt(9) };
  const raceId = world.startRace();
  const raced = succeed(world, 'val-a');
  world.state.races.set(raceId, { isRunning: false, roster: suiteOf(3).qualifying });

  t.is(world.refusal('reinstate-version', unknown).code, 'AGENT_VERSION_NOT_FOUND');
  t.is(world.refusal('discard-version', { ...unknown, reason }).code, 'AGENT_VERSION_NOT_FOUND');
  const foreign = { ...one, evalRunId: submission(9).agentId };
  for (const order of ['exclude-run', 'include-run', 'reclaim-run']) {
    t.is(world.refusal(order, { ...foreign, reason }).code, 'EVAL_RUN_NOT_FOUND');
    t.is(world.refusal(order, { ...raced, reason }).code, 'RACE_OVER');
  }
  t.like(world.ok('exclude-run', { ...runs[0], reason }), { isIncluded: false });
});

test('three faults in a race discard the version at once', (t) => {
  const { world } = eligible();
  world.startRace();
  world.nowMs += evalPolicy.leaseMs;
  for (const validator of ['val-a', 'val-b', 'val-c']) fail(world, validator, 'AGENT');

  t.is(world.version(1).version.state.value, 'discarded');
  t.deepEqual(outbox(world, 'evt.race.1.version-discarded'), [{ ...one, atMs: world.nowMs }]);
  t.true(world.decisions.some(({ changes }) => changes?.operations['shorten_cooldown']));
});

for (const wasBanned of [true, false]) {
  const change = wasBanned ? 'lost its ban' : 'was banned';
  test(`work of a miner that ${change} while its version was discarded knows it after the reinstatement`, (t) => {
    const world = new EvalWorld();
    world.submit(1);
    const tell = (isBanned: boolean) => {
      world.state.orders = { ...noOrders, bannedHotkeys: new Set(isBanned ? ['miner-1'] : []) };
      world.ok(isBanned ? 'hotkey-banned' : 'hotkey-unbanned', { hotkey: 'miner-1' });
    };
    tell(wasBanned);
    world.ok('discard-version', { ...one, reason });
    tell(!wasBanned);

    world.ok('reinstate-version', one);

    t.is(world.itemState(1).value, 'open');
    t.is(world.claim('val-a') === null, !wasBanned);
  });
}
