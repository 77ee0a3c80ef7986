import test from 'ava';
import { runShared } from './run-shared.ts';
import { runSim } from './run-sim.ts';

const seed = 110;

test('a race day of one seed leaves the same trace in two processes', async (t) => {
  t.timeout(300_000);
  const [here, there] = await Promise.all([
    runSim({ seed, seeds: 1 }),
    runShared({ seed, seeds: 1, days: 1 }, 1, () => undefined),
  ]);
  t.deepEqual(here.violations, []);
  t.deepEqual([here.days, here.seeds[0]?.days], [1, 1]);
  t.is(there.seeds[0]?.hash, here.seeds[0]?.hash);
  t.is(there.seeds[0]?.steps, here.seeds[0]?.steps);
});
