import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { ExpiryBrake } from '../../../actors/lease-manager/expiry-brake.ts';
import { EvalWorld, evalPolicy, suiteOf } from '../../support/eval-world.ts';

const { claimLeaseMs, heartbeatMs, leaseMs } = evalPolicy;

test('when more than a fifth of many leases end at once, all get one more, once', (t) => {
  const world = new EvalWorld();
  for (let index = 1; index <= 10; index += 1) world.submit(index);
  const runs = Array.from({ length: 20 }, (_, index) => world.run(`val-${index}`));
  const stale = () => runs.filter((own) => world.runState(own).value === 'stale').length;

  world.pass(claimLeaseMs);
  t.is(stale(), 0);
  t.like(world.actor.stats(), { expiryBrakes: 1, isExpiryBraking: 1, liveRuns: 20 });
  world.pass(leaseMs - 1);
  t.is(stale(), 0);
  world.pass(1);
  t.is(stale(), 20);
  t.like(world.actor.stats(), { expiryBrakes: 1, isExpiryBraking: 0, liveRuns: 0 });
});

test('validators that beat at different times and all fall silent are held as well', (t) => {
  const world = new EvalWorld();
  for (let index = 1; index <= 12; index += 1) world.submit(index);
  const runs = Array.from({ length: 24 }, (_, index) => world.run(`val-${index}`));
  const stale = () => runs.filter((own) => world.runState(own).value === 'stale').length;
  for (let beats = 0; beats < 12; beats += 1) {
    for (const own of runs) {
      world.pass(heartbeatMs / runs.length);
      world.ok('heartbeat', own);
    }
  }
  t.is(stale(), 0);

  // Their leases end evenly over a heartbeat, and the first of them tells of all.
  world.pass(leaseMs);
  t.is(world.actor.stats()['expiryBrakes'], 1);
  for (let seconds = 1; seconds * 1000 < leaseMs - heartbeatMs; seconds += 1) world.pass(1000);
  t.is(stale(), 0);
  world.pass(2 * heartbeatMs);
  t.is(stale(), 24);
  t.is(world.actor.stats()['expiryBrakes'], 1);
});

/** One process with four partitions of `runs` runs each; all of them are looked at in turn. */
function processWith(runs: number) {
  const brake = new ExpiryBrake(evalPolicy);
  const worlds = Array.from({ length: 4 }, (_, part) => {
    const world = new EvalWorld(suiteOf(3), evalPolicy, { brake });
    for (let index = 1; index <= runs; index += 1) world.submit(index);
    const claimed = Array.from({ length: runs }, (__, index) => world.run(`val-${part}-${index}`));
    return { world, claimed };
  });
  const pass = (ms: number, silent: number) => {
    for (const { world, claimed } of worlds) {
      world.nowMs += ms;
      for (const run of claimed.slice(silent)) {
        if (world.runState(run).value !== 'stale') world.ok('heartbeat', run);
      }
    }
    for (const { world } of worlds) world.pass(0);
  };
  const stale = () =>
    worlds.flatMap(({ world, claimed }) =>
      claimed.filter((own) => world.runState(own).value === 'stale'),
    ).length;
  return { worlds, brake, pass, stale };
}

test('the brake sees all partitions of a process together, where each has too few leases', (t) => {
  const { brake, pass, stale, worlds } = processWith(6);
  pass(claimLeaseMs - 1000, 6);
  t.is(stale(), 0);
  pass(1000, 6);
  t.is(stale(), 0);
  t.is(brake.count, 1);
  t.true(worlds.every(({ world }) => world.actor.stats()['isExpiryBraking'] === 1));
  pass(leaseMs - 1000, 6);
  t.is(stale(), 0);
  pass(1000, 6);
  t.is(stale(), 24, 'who is silent after it as well is let go');
});

test('one silent validator of many is let go at once, whatever its partition holds', (t) => {
  const { brake, pass, stale } = processWith(6);
  for (let beats = 0; beats < 10; beats += 1) pass(claimLeaseMs / 10, 1);
  t.is(stale(), 4);
  t.is(brake.count, 0);
});

// Where all are punctual no lease ever ends, and partitions move whenever a process comes or goes.
test('a partition that is not served here any more is forgotten, although no lease ends', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const brake = new ExpiryBrake(evalPolicy);
  const served = (): EvalWorld => new EvalWorld(suiteOf(3), evalPolicy, { brake });
  const looked = () => {
    const world = served();
    world.pass(0);
    return new WeakRef(world.state);
  };
  const [kept, gone] = [served(), looked()];
  for (let seconds = 0; seconds < 10; seconds += 1) kept.pass(1_000);
  await new Promise((resolve) => setImmediate(resolve));

  collect();

  t.is(gone.deref(), undefined);
});

test('a partition that is not served here any more has no say', (t) => {
  const { brake, worlds } = processWith(12);
  const [kept, ...gone] = worlds;
  if (kept === undefined) throw new Error('there is no world');
  for (const { world } of worlds) world.pass(0);
  // The others moved away: nobody looks at them, and their leases seem to end here.
  for (let beats = 0; beats < 10; beats += 1) {
    kept.world.nowMs += claimLeaseMs / 10;
    for (const run of kept.claimed.slice(1)) kept.world.ok('heartbeat', run);
    kept.world.pass(0);
  }
  t.is(brake.count, 0);
  const [silent] = kept.claimed;
  t.is(silent && kept.world.runState(silent).value, 'stale');
  t.is(gone.length, 3);
});
