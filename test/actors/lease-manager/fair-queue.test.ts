import test from 'ava';
import {
  completion,
  EvalWorld,
  evalPolicy,
  type OwnRun,
  suiteOf,
  versionIdAt,
} from '../../support/eval-world.ts';

const pausesFrom = 3;
const legacy = { executionKind: 'legacy_benchmark', envPackSha256: null } as const;
const partial = { scoreComponents: { scored_problems: 2, total_problems: 3 } };
const failed = (failureClass: string) => ({
  ...{ terminalStatus: 'FAILED', scoreMicro: null },
  ...{ failureClass, failureReason: 'it went wrong' },
});

/** Two versions, the first of which is older. */
function twoVersions(suite = suiteOf(3)): EvalWorld {
  const world = new EvalWorld(suite);
  world.submit(1);
  world.nowMs += 1;
  world.submit(2);
  return world;
}

const ways: readonly [string, Record<string, unknown>][] = [
  ...['PROVIDER', 'VALIDATOR', 'UNATTRIBUTED'].map((blamed): [string, Record<string, unknown>] => [
    blamed,
    failed(blamed),
  ]),
  ['nobody, as a part of it was scored', partial],
];

// Nothing of this holds work back: only silence and the platform's failures do (rules.md section 5).
for (const [blamed, end] of ways) {
  test(`work whose runs end in vain by ${blamed} leaves half of the claims to younger work`, (t) => {
    const [older = 0, younger = 0] = claimsInVain(twoVersions(suiteOf(3, legacy)), end);

    t.is(older, younger);
    t.true(older >= 3 * pausesFrom, `${older} of each`);
  });
}

// Each run stays in memory, in the database and in every command's walk for as long as the work is open.
for (const [blamed, end] of ways) {
  test(`a validator whose runs all end in vain by ${blamed} makes few of them a day`, (t) => {
    const world = new EvalWorld(suiteOf(3, legacy));
    world.submit(1);
    const starts = inVainFor(world, 24 * 3_600_000, end);

    const minutes = starts.map((start, index) =>
      Math.round((start - (starts[index - 1] ?? start)) / 60_000),
    );
    t.deepEqual(minutes, [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
    // The pause is the validator's alone.
    t.not(world.claim('val-b'), null);
  });
}

test('runs that fall silent and those that the platform fails call for the hold alone', (t) => {
  const world = new EvalWorld(suiteOf(3, legacy));
  world.submit(1);
  for (let time = 1; time < evalPolicy.holdFailures; time++) {
    world.complete(world.run('val-a'), failed('PLATFORM'));
  }

  t.not(world.claim('val-a'), null);
});

// Contract, section 4: "the work is offered again at once (to this validator last)".
test('work that was given back is offered again at once, however often', (t) => {
  const world = new EvalWorld(suiteOf(3, legacy));
  world.submit(1);
  for (let time = 0; time < 20; time++) world.ok('release-run', world.run('val-a'));

  t.not(world.claim('val-a'), null);
});

/** When the runs began of one validator that always asks, and whose runs all end so. */
function inVainFor(world: EvalWorld, ms: number, end: Record<string, unknown>): number[] {
  const starts: number[] = [];
  for (const untilMs = world.nowMs + ms; world.nowMs < untilMs; world.nowMs += 5_000) {
    const claimed = world.claim('val-a');
    if (claimed === null) continue;
    starts.push(world.nowMs);
    world.complete({ ...claimed, validatorHotkey: 'val-a' }, end);
  }
  return starts;
}

test('work that the platform fails again and again is held', (t) => {
  const world = twoVersions(suiteOf(3, legacy));
  const [older = 0, younger = 0] = claimsInVain(world, failed('PLATFORM'));

  t.true(younger >= evalPolicy.holdFailures, `${younger} of the younger`);
  t.true(older + younger < 30, `${older} and ${younger} in vain`);
  t.is(world.itemState(1).context.holdReason, 'REPEATED_FAILURES');
});

/** How often each of two versions was given out when every run of three validators ends so. */
function claimsInVain(world: EvalWorld, end: Record<string, unknown>): readonly number[] {
  const claims = new Map([1, 2].map((index) => [versionIdAt(index), 0]));
  for (let time = 0; time < 300; time++) {
    world.nowMs += 5_000;
    const validatorHotkey = `val-${time % 3}`;
    const claimed = world.claim(validatorHotkey);
    if (claimed === null) continue;
    const { agentVersionId, evalRunId } = claimed;
    claims.set(agentVersionId, (claims.get(agentVersionId) ?? 0) + 1);
    world.complete({ agentVersionId, evalRunId, validatorHotkey }, end);
  }
  return [...claims.values()];
}

test('faults of an agent hold none of its work, for they end it', (t) => {
  const world = new EvalWorld();
  world.submit(1);
  const own = world.run('val-a');
  world.complete(own, failed('AGENT'));

  t.like(world.itemState(1).context, { troubles: 0, holdUntil: null });
});

const ends: readonly [string, (world: EvalWorld, own: OwnRun) => void][] = [
  ['that failed', (world, own) => world.complete(own, failed('AGENT'))],
  ['that timed out', (world, own) => timeOut(world, own)],
  ['that fell silent', (world) => world.pass(evalPolicy.claimLeaseMs)],
  ['that was reclaimed', (world, own) => world.ok('reclaim-run', own)],
  ['that was given back', (world, own) => world.ok('release-run', own)],
  ['that was scored in part', (world, own) => world.complete(own, partial)],
];

function timeOut(world: EvalWorld, own: OwnRun): void {
  const { terminalStatus: _, ...rest } = completion(failed('PROVIDER'));
  world.complete(own, { ...rest, terminalStatus: 'TIMED_OUT' });
}

for (const [how, end] of ends) {
  test(`a validator is offered the work of a run ${how} after all other work`, (t) => {
    const world = twoVersions(suiteOf(3, legacy));
    const own = world.run('val-a');
    t.is(own.agentVersionId, versionIdAt(1));
    end(world, own);

    t.is(world.run('val-a').agentVersionId, versionIdAt(2));
    t.is(world.run('val-b').agentVersionId, versionIdAt(1));
    t.is(world.run('val-a', { slot: 1 }).agentVersionId, versionIdAt(1));
  });
}

test('a run that was cancelled for reasons of ours puts its work no further back', (t) => {
  const world = twoVersions();
  world.run('val-a');
  world.ok('hotkey-banned', { hotkey: 'miner-1' });
  world.ok('hotkey-unbanned', { hotkey: 'miner-1' });

  t.is(world.run('val-a').agentVersionId, versionIdAt(1));
});

test('one validator that fails every agent discards none while there is other work', (t) => {
  const world = twoVersions();
  world.nowMs += 1;
  world.submit(3);
  const versions = [1, 2, 3].map(() => {
    const own = world.run('val-a');
    world.complete(own, failed('AGENT'));
    return own.agentVersionId;
  });

  t.deepEqual(versions, [1, 2, 3].map(versionIdAt));
  t.deepEqual(
    [1, 2, 3].map((index) => world.version(index).version.state.value),
    ['running', 'running', 'running'],
  );
});
