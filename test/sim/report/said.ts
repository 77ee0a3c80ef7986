import type { SeedReport } from '../run-sim.ts';
import type { Reached } from './minimums.ts';

const tailShown = 40;

/** The report of a run, line by line. */
export function* said(run: {
  readonly seeds: readonly SeedReport[];
  readonly counts: ReadonlyMap<string, number>;
  readonly reached: readonly Reached[];
  readonly tookMs: number;
}): Generator<string> {
  const { seeds, counts, reached, tookMs } = run;
  for (const [name, count] of counts) yield `${String(count).padStart(10)}  ${name}`;
  yield 'reached:';
  for (const { name, count, minimum } of reached) {
    const verdict = count < minimum ? '  TOO FEW: this run is void' : '';
    yield `${String(count).padStart(10)}  ${name} (at least ${minimum})${verdict}`;
  }
  const broken = seeds.filter(({ violations }) => violations.length > 0);
  for (const { seed, tail } of broken.slice(0, 1)) {
    yield `the last steps of seed ${seed}:`;
    yield* tail.slice(-tailShown);
  }
  for (const { seed, violations } of broken) {
    for (const { invariant, step, text } of violations) {
      yield `VIOLATION of ${invariant} in seed ${seed} at step ${step}: ${text}`;
    }
  }
  const sum = (of: (seed: SeedReport) => number) => seeds.reduce((all, seed) => all + of(seed), 0);
  const days = sum((seed) => seed.days);
  const steps = sum((seed) => seed.steps);
  const found = sum(({ violations }) => violations.length);
  const seconds = tookMs / 1000;
  const rate = Math.round(steps / seconds);
  yield `${seeds.length} seeds, ${days} race days, ${steps} steps in ${seconds.toFixed(1)} s ` +
    `(${rate} steps/s): ${found} violations`;
}
