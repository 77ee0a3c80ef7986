import test from 'ava';
import { runShared } from './run-shared.ts';
import { runSim } from './run-sim.ts';

const seed = 42;

test('a seed gives the same trace after another one, and in a process of its own', async (t) => {
  t.timeout(120_000);
  const here = await runSim({ seed: seed - 1, seeds: 2 });
  t.deepEqual(here.violations, []);
  const there = await runShared({ seed, seeds: 1, days: 1 }, 1, () => undefined);
  t.is(there.seeds[0]?.hash, here.seeds[1]?.hash);
  t.is(there.seeds[0]?.steps, here.seeds[1]?.steps);
});
