import { parseArgs } from 'node:util';
import { runSim } from './run-sim.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    days: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    thorough: { type: 'boolean', default: false },
  },
});

const report = await runSim({
  seed: Number(values.seed),
  seeds: Number(values.seeds),
  days: Number(values.days),
  hasFaults: !values.calm,
  isThorough: values.thorough,
  ...(values.trace && { onTrace: (line: string) => console.log(line) }),
  onSeed: ({ seed, steps, hash, tookMs, violations }) => {
    const verdict = violations.length === 0 ? '' : `  ${violations.length} VIOLATIONS`;
    console.log(`seed ${seed}: ${steps} steps, ${hash}, ${Math.round(tookMs)} ms${verdict}`);
  },
});
for (const [name, count] of report.counts) console.log(`${String(count).padStart(9)}  ${name}`);
for (const { seed, invariant, step, text } of report.violations) {
  console.log(`${invariant} in seed ${seed} at step ${step}: ${text}`);
}
const { days, steps, tookMs } = report;
console.log(`${days} race days, ${steps} steps, ${(tookMs / 1000).toFixed(1)} s`);
if (report.violations.length > 0) process.exitCode = 1;
