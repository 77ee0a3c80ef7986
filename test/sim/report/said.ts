import type { SeedReport } from '../run-sim.ts';
import { judgedDaysMin, type Reached } from './minimums.ts';

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
  const sum = (of: (seed: SeedReport) => number) => seeds.reduce((all, seed) => all + of(seed), 0);
  const days = sum((seed) => seed.days);
  // Where nothing fails, nothing is to be reached.
  const isTooShort = reached.length > 0 && days < judgedDaysMin;
  if (reached.length > 0) yield* saidOfReached(reached, isTooShort);
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
  const steps = sum((seed) => seed.steps);
  const found = sum(({ violations }) => violations.length);
  const seconds = tookMs / 1000;
  const rate = Math.round(steps / seconds);
  yield `${seeds.length} seeds, ${days} race days, ${steps} steps in ${seconds.toFixed(1)} s ` +
    `(${rate} steps/s): ${found} violations` +
    (isTooShort ? ', too short to judge what was reached' : '');
}

function* saidOfReached(reached: readonly Reached[], isTooShort: boolean): Generator<string> {
  yield isTooShort ? `reached (judged from ${judgedDaysMin} days on):` : 'reached:';
  for (const { name, count, minimum } of reached) {
    const asked = isTooShort ? '' : ` (at least ${minimum})`;
    const verdict = count < minimum ? '  TOO FEW: this run is void' : '';
    yield `${String(count).padStart(10)}  ${name}${asked}${verdict}`;
  }
}
