import test from 'ava';
import {
  EvalWorld,
  episode,
  noOrders,
  type OwnRun,
  suiteOf,
  versionIdAt,
} from '../../support/eval-world.ts';

// Bans are told to open work only: what opens again afterwards has to ask for them.

const results = [episode(0), episode(1), episode(2)];
const one = { agentVersionId: versionIdAt(1) };
const reason = 'an operator said so';

function succeed(world: EvalWorld, validatorHotkey: string): OwnRun {
  const own = world.run(validatorHotkey);
  world.append(own, results);
  world.complete(own);
  return own;
}

/** Version 1, whose work has the successes of these validators; two are required. */
function evaluatedBy<const T extends readonly string[]>(validators: T) {
  const world = new EvalWorld();
  world.submit(1);
  const runs = validators.map((validator) => succeed(world, validator));
  return { world, runs: runs as { [K in keyof T]: OwnRun } };
}

/** As the tables have it, which come before the news. */
function setBans(world: EvalWorld, hotkeys: readonly string[]): void {
  world.state.orders = { ...noOrders, bannedHotkeys: new Set(hotkeys) };
}

function ban(world: EvalWorld, hotkey: string): void {
  setBans(world, [hotkey]);
  world.ok('hotkey-banned', { hotkey });
}

function exclusionsOf(world: EvalWorld, { evalRunId }: OwnRun): unknown[] {
  return world.decisions
    .flatMap(({ changes }) => changes?.events ?? [])
    .filter(({ type, key }) => type === 'EXCLUDED' && key === evalRunId)
    .map(({ payload }) => payload);
}

const silenced = { isIncluded: false, exclusionReason: 'VALIDATOR_BANNED' };

test('a validator that was banned during a discard has no say when it is taken back', (t) => {
  const { world, runs } = evaluatedBy(['val-a']);
  world.ok('discard-version', { ...one, reason });
  ban(world, 'val-a');

  t.deepEqual(world.ok('reinstate-version', one), { ...one, state: 'RUNNING' });

  t.like(world.runState(runs[0]).context, silenced);
  t.like(world.itemState(1), { value: 'open', context: { included: [] } });
  for (const validator of ['val-b', 'val-c']) succeed(world, validator);
  t.is(world.version(1).version.state.value, 'eligible');
  t.deepEqual(
    world.itemState(1).context.included.map(({ validatorHotkey }) => validatorHotkey),
    ['val-b', 'val-c'],
  );
});

test('a banned validator’s success stands where the work is done, until that opens again', (t) => {
  const { world, runs } = evaluatedBy(['val-a', 'val-b']);
  ban(world, 'val-a');
  t.is(world.itemState(1).value, 'closed');
  t.true(world.runState(runs[0]).context.isIncluded);

  t.like(world.ok('exclude-run', { ...runs[1], reason }), { exclusionReason: reason });

  t.like(world.runState(runs[0]).context, silenced);
  t.like(world.itemState(1), { value: 'open', context: { included: [] } });
  t.like(world.version(1).version.state, {
    value: 'eligible',
    context: { scores: { mean: null } },
  });
  // What is taken back is the exclusion, not what the ban came to meanwhile.
  t.like(world.ok('include-run', runs[1]), { isIncluded: true });
  t.like(world.ok('include-run', runs[0]), silenced);
  t.is(world.itemState(1).context.included.length, 1);
});

test('the banned validator’s own success may be what is excluded', (t) => {
  const { world, runs } = evaluatedBy(['val-a', 'val-b']);
  ban(world, 'val-a');

  world.ok('exclude-run', { ...runs[0], reason });

  t.deepEqual(exclusionsOf(world, runs[0]), [{ reason }]);
  t.true(world.runState(runs[1]).context.isIncluded);
});

test('work that was excluded from and cancelled meanwhile asks when it opens', (t) => {
  const { world, runs } = evaluatedBy(['val-a', 'val-b']);
  world.ok('discard-version', { ...one, reason });
  world.ok('exclude-run', { ...runs[1], reason });
  t.like(world.itemState(1), { value: 'cancelled', context: { closeReason: 'VERSION_DISCARDED' } });
  ban(world, 'val-a');
  t.true(world.runState(runs[0]).context.isIncluded, 'nobody goes on with it');

  world.ok('reinstate-version', one);

  t.like(world.itemState(1), { value: 'open', context: { included: [] } });
  t.like(world.runState(runs[0]).context, silenced);
});

test('a ban that was lifted before the work opens again takes nothing', (t) => {
  const { world, runs } = evaluatedBy(['val-a']);
  world.ok('discard-version', { ...one, reason });
  ban(world, 'val-a');
  setBans(world, []);
  world.ok('hotkey-unbanned', { hotkey: 'val-a' });

  world.ok('reinstate-version', one);

  t.true(world.runState(runs[0]).context.isIncluded);
  t.is(world.itemState(1).context.included.length, 1);
});

test('of two bans in a race that runs the first news opens the work without either', (t) => {
  const { world } = evaluatedBy(['val-a', 'val-b']);
  const raceId = world.startRace();
  const runs = ['val-a', 'val-b'].map((validator) => succeed(world, validator));
  t.is(world.raceItem(raceId).value, 'closed');
  setBans(world, ['val-a', 'val-b']);

  world.ok('hotkey-banned', { hotkey: 'val-a' });

  t.like(world.raceItem(raceId), { value: 'open', context: { included: [] } });
  world.ok('hotkey-banned', { hotkey: 'val-b' });
  for (const run of runs) {
    t.deepEqual(exclusionsOf(world, run), [{ reason: 'VALIDATOR_BANNED' }]);
  }
  // The qualifying work is done, and stays so.
  t.is(world.itemState(1).value, 'closed');
});

test('neither a ban nor a reinstatement changes work of a race that is over', (t) => {
  const { world } = evaluatedBy(['val-b', 'val-c']);
  const raceId = world.startRace();
  const raced = succeed(world, 'val-a');
  world.ok('discard-version', { ...one, reason });
  world.state.races.set(raceId, { isRunning: false, roster: suiteOf(3).qualifying });
  const before = JSON.stringify([world.raceItem(raceId), world.runState(raced)]);
  ban(world, 'val-a');

  world.ok('reinstate-version', one);

  t.is(world.raceItem(raceId).value, 'cancelled');
  t.is(JSON.stringify([world.raceItem(raceId), world.runState(raced)]), before);
});

test('a version that was discarded before the news of the start is given to nobody', (t) => {
  const { world } = evaluatedBy(['val-a', 'val-b']);
  world.ok('discard-version', { ...one, reason });

  const raceId = world.startRace();

  t.like(world.raceItem(raceId), {
    value: 'cancelled',
    context: { closeReason: 'VERSION_DISCARDED' },
  });
  t.is(world.claim('val-c'), null);
  // Its race runs still, so that it may race after all.
  world.ok('reinstate-version', one);
  t.not(world.claim('val-c'), null);
});
