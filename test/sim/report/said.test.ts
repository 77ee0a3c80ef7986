import test from 'ava';
import type { SeedReport } from '../run-sim.ts';
import { isVoid, reachability } from './minimums.ts';
import { said } from './said.ts';

const seedOf = (days: number): SeedReport => {
  return { seed: 1, days, steps: 1_000, hash: 'a', tookMs: 1, violations: [], tail: [] };
};
const saidOf = (days: number, counts: ReadonlyMap<string, number>) => {
  const reached = reachability(counts, days);
  const lines = [...said({ seeds: [seedOf(days)], counts: new Map(), reached, tookMs: 1_000 })];
  return { lines, isVoid: isVoid(reached) };
};
const plenty = new Map(reachability(new Map(), 1_000).map(({ name }) => [name, 10_000]));

test('a run too short to judge what it reached says so, and is not void', (t) => {
  const { lines, isVoid: is } = saidOf(199, new Map());

  t.is(lines[0], 'reached (judged from 200 days on):');
  t.false(lines.some((line) => line.includes('at least')));
  t.regex(lines.at(-1) ?? '', /: 0 violations, too short to judge what was reached$/);
  t.false(is);
});

test('a run that is long enough says what was asked of it, and is void when it falls short', (t) => {
  const enough = saidOf(200, plenty);
  t.is(enough.lines[0], 'reached:');
  t.regex(enough.lines.at(-1) ?? '', /: 0 violations$/);
  t.true(enough.lines.includes('     10000  work reclaimed (at least 20)'));
  t.false(enough.isVoid);

  const short = saidOf(200, new Map([...plenty, ['work reclaimed', 19]]));
  t.true(
    short.lines.includes('        19  work reclaimed (at least 20)  TOO FEW: this run is void'),
  );
  t.true(short.isVoid);
});

test('where nothing fails, nothing is said of what was reached', (t) => {
  const [line] = [...said({ seeds: [seedOf(1)], counts: new Map(), reached: [], tookMs: 1_000 })];

  t.regex(line ?? '', /^1 seeds, 1 race days, 1000 steps.*: 0 violations$/);
});
