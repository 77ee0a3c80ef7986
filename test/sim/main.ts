import { lineOf } from '../commands/command-line.ts';
import { simCommand } from '../commands/sim-command.ts';
import { runFacts } from '../support/run-facts.ts';
import { isVoid, reachability } from './report/minimums.ts';
import { said } from './report/said.ts';
import { runShared } from './run-shared.ts';
import { runSim, type SeedReport } from './run-sim.ts';

const values = lineOf(simCommand);

const share = {
  seed: values.seed,
  seeds: values.seeds,
  days: values.days,
  hasFaults: !values.calm,
  isThorough: values.thorough,
};
const onSeed = ({ seed, days, steps, hash, tookMs, violations }: SeedReport) => {
  const verdict = violations.length === 0 ? '' : `, ${violations.length} VIOLATIONS`;
  console.log(
    `seed ${seed}: ${days} days, ${steps} steps, ${hash}, ${Math.round(tookMs)} ms${verdict}`,
  );
};
const startedMs = performance.now();
const { seeds, counts } = values.trace
  ? await runSim({ ...share, onSeed, onTrace: (line) => console.log(line) })
  : await runShared(share, values.processes, onSeed);
const days = seeds.reduce((sum, seed) => sum + seed.days, 0);
const reached = values.calm ? [] : reachability(counts, days);
for (const line of said({ seeds, counts, reached, tookMs: performance.now() - startedMs })) {
  console.log(line);
}
console.log(runFacts());
if (seeds.some(({ violations }) => violations.length > 0) || isVoid(reached)) process.exitCode = 1;
