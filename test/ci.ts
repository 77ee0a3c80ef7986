/**
 * What `npm run ci` runs: what is checked without running the product, whether the simulator still sees
 * what it must, and then the two proofs that nothing is lost, each on its fixed seeds: what a gate
 * says is to come of the change, not of luck.
 * Other seeds are for the long runs. `npm test` is the other half. All checks run even when one
 * fails, so that one run shows all there is to mend.
 */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runWithin } from './support/run-within.ts';

const root = join(import.meta.dirname, '..');
const bin = join(root, 'node_modules/.bin');

interface Check {
  readonly title: string;
  readonly command: readonly string[];
  /** Then it hangs: all of them take a fraction of it, also on a machine three times as slow as usual. */
  readonly minutes: number;
  /** What an exit code says, where it is more than that the check failed. */
  readonly meanings?: Readonly<Record<number, string>>;
}

const checks: readonly Check[] = [
  { title: 'types', command: ['tsc', '--noEmit', '-p', '.'], minutes: 10 },
  {
    title: 'types of the pages',
    command: ['tsc', '--noEmit', '-p', 'apps/dashboard/browser'],
    minutes: 10,
  },
  {
    ...{ title: 'format and lint', minutes: 10 },
    command: ['biome', 'check', '--error-on-warnings', '.'],
  },
  {
    ...{ title: 'tidy', minutes: 10 },
    command: ['ava', ...globSync('test/tidy/*.test.ts', { cwd: root })],
  },
  { title: 'dead code', command: ['knip'], minutes: 10 },
  // Exports that only tests read are fine; files and packages that only tests need are not.
  {
    ...{ title: 'dead code in production', minutes: 10 },
    command: ['knip', '--production', '--exclude', 'exports,types'],
  },
  {
    ...{ title: 'long tests', minutes: 90 },
    command: ['node', 'test/run.ts', '--long'],
  },
  {
    ...{ title: 'pages', minutes: 30 },
    command: ['node', 'test/run.ts', ...globSync('test/pages/*.browser.test.ts', { cwd: root })],
  },
  {
    // Seen to take 35 to 45 s beside a load of ten and more; more than 120 s is its failure.
    ...{ title: 'first start', minutes: 10 },
    command: ['node', 'test/pages/prove-first-start.ts'],
  },
  // A simulator that sees nothing any more passes whatever comes. One defect is seen in what clients
  // are told, the other in the tables, both on the first seed as a rule, where their search ends; the
  // product as it is must be clean there.
  {
    ...{ title: 'canary', minutes: 20 },
    command: [
      ...['node', 'test/mutants/prove-mutants.ts', '--seeds', '3', '--control'],
      ...['--only', 'results-forgotten,closed-too-early'],
    ],
  },
  {
    ...{ title: 'simulation', minutes: 45 },
    command: ['node', 'test/sim/main.ts', '--seeds', '500', '--processes', '2'],
  },
  // Where nothing fails, no lease is longer than was told, and its end is judged to the millisecond.
  {
    ...{ title: 'simulation without faults', minutes: 20 },
    command: ['node', 'test/sim/main.ts', '--seeds', '30', '--processes', '2', '--calm'],
  },
  {
    ...{ title: 'chaos', minutes: 15 },
    command: ['node', 'test/chaos/main.ts', '--minutes', '3', '--seed', '1'],
    meanings: { 1: 'FAILED: something is violated', 2: 'VOID: too little came about to show it' },
  },
];

const failed: string[] = [];
for (const check of checks) {
  const { title, command } = check;
  console.log(`\n── ${title}: ${command.slice(0, 2).join(' ')}`);
  const startedMs = performance.now();
  const failure = await failureOf(check);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`── ${title}: ${failure ?? 'passed'} in ${seconds} s`);
  if (failure !== undefined) failed.push(`${title} (${failure})`);
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function failureOf({ command, minutes, meanings }: Check): Promise<string | undefined> {
  const [name = '', ...args] = command;
  const ended = await runWithin({
    command: name === 'node' ? process.execPath : join(bin, name),
    args,
    cwd: root,
    env: { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(':') },
    limitMs: minutes * 60_000,
  });
  if (ended.kind === 'late') return `OUT OF TIME after ${minutes} minutes`;
  if (ended.code === 0) return undefined;
  return meanings?.[ended.code ?? Number.NaN] ?? 'FAILED';
}
