/**
 * `npm run test:mutants`: plants every defect of the list, one at a time, and shows that the simulator
 * (or chaos, where it lies outside of what is simulated) sees it, by an invariant that it breaks. The
 * product as it is goes through the same seeds and must be clean.
 *
 * `-- --only id,id` tries some of them, `--seeds N` so many seeds each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { lineOf } from '../commands/command-line.ts';
import { mutantsCommand } from '../commands/mutants-command.ts';
import { inParallel } from '../support/in-parallel.ts';
import { runFacts } from '../support/run-facts.ts';
import { everyMutant } from './every-mutant.ts';
import type { Mutant } from './mutant.ts';
import { outcomeOf, verdictOf } from './outcome.ts';
import type { Verdict } from './verdict.ts';

const values = lineOf(mutantsCommand);
const seedsMax = values.seeds;
const patienceMs = 15 * 60_000;
const widest = Math.max(...everyMutant.map(({ id }) => id.length));

interface Trial {
  readonly isPassed: boolean;
  readonly line: string;
}

const { only: wanted } = values;
const mutants = everyMutant.filter(({ id }) => wanted?.includes(id) ?? true);
/** Seeds by the world and the days of it, as `calm 1`. */
const tried = new Map<string, Set<number>>();
const startedMs = performance.now();
const trials: Trial[] = [];
console.log(row(['defect', 'seen', 'by', 'after and as']));
await inParallel(values.jobs, mutants, async (mutant) => {
  const trial = await tryMutant(mutant);
  trials.push(trial);
  console.log(trial.line);
});
if (wanted === undefined || values.control) {
  for (const trial of await tryControl()) {
    trials.push(trial);
    console.log(trial.line);
  }
}
const failed = trials.filter(({ isPassed }) => !isPassed).length;
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(`\n${mutants.length} planted defects in ${seconds} s`);
console.log(runFacts());
console.log(`${trials.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && trials.length > 0 ? 0 : 1;

async function tryMutant(mutant: Mutant): Promise<Trial> {
  const { id, shownBy = 'sim', seed = 1, days = 1, world = 'stormy' } = mutant;
  const tookMs = performance.now();
  const course = `${world} ${days}`;
  const args = ['--by', shownBy, '--id', id, '--seed', String(seed), ...argsOf(course)];
  const verdict = await play(args, id);
  const after = `${Math.round((performance.now() - tookMs) / 1000)} s`;
  const outcome = outcomeOf(mutant, verdict);
  if (typeof verdict === 'string' || outcome.kind === 'not tried') {
    return { isPassed: false, line: row([id, 'NOT TRIED', '', `${after}: ${verdict}`]) };
  }
  if (shownBy === 'sim') remember(course, seed, verdict.seeds);
  const last = `seed ${seed + verdict.seeds - 1}`;
  if (outcome.kind === 'survived') {
    return {
      isPassed: false,
      line: row([id, 'SURVIVED', '', `${last}, ${after}: ${outcome.told}`]),
    };
  }
  const { sign } = outcome;
  const where = sign.step === undefined ? last : `${last}, step ${sign.step}`;
  const told = sign.text.slice(0, 80);
  return {
    isPassed: true,
    line: row([id, shownBy, sign.invariant, `${where}, ${after}: ${told}`]),
  };
}

function row([id = '', seen = '', by = '', rest = '']: readonly string[]): string {
  return [id.padEnd(widest), seen.padEnd(9), by.padEnd(6), rest].join('  ');
}

/** The product as it is, on every seed on which a defect was looked for. */
async function tryControl(): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  const runs = [...tried].flatMap(([course, seeds]) =>
    runsOf([...seeds].sort((left, right) => left - right)).map((run) => ({ course, run })),
  );
  await inParallel(values.jobs, runs, async ({ course, run: [first, count] }) => {
    const args = ['--seed', String(first), '--seeds', String(count), ...argsOf(course)];
    const verdict = await play(args, undefined);
    const seen =
      typeof verdict === 'string' ? [verdict] : verdict.violations.map(({ text: told }) => told);
    const what = `the product as it is, ${course}, seeds ${first} to ${first + count - 1}`;
    const line = seen.length === 0 ? `${what}: clean` : `${what}: NOT CLEAN ${seen.join('; ')}`;
    trials.push({ isPassed: seen.length === 0, line });
  });
  return trials;
}

function argsOf(course: string): readonly string[] {
  const [world = '', days = ''] = course.split(' ');
  return ['--world', world, '--days', days];
}

function remember(course: string, first: number, count: number): void {
  const seeds = tried.get(course) ?? new Set<number>();
  for (let index = 0; index < count; index += 1) seeds.add(first + index);
  tried.set(course, seeds);
}

/** Seeds that follow each other, as first and count. */
function runsOf(seeds: readonly number[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const seed of seeds) {
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === seed) last[1] += 1;
    else runs.push([seed, 1]);
  }
  return runs;
}

/** The verdict, or how the process ended without one. */
async function play(args: readonly string[], id: string | undefined): Promise<Verdict | string> {
  const hook = new URL('./load-hook.ts', import.meta.url);
  const player = fileURLToPath(new URL('./play-planted.ts', import.meta.url));
  const seeds = args.includes('--seeds') ? [] : ['--seeds', String(seedsMax)];
  const child = spawn(process.execPath, ['--import', hook.href, player, ...args, ...seeds], {
    env: { ...process.env, ...(id !== undefined && { PADDOCK_PLANTED: id }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const late = setTimeout(() => child.kill(), patienceMs);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  clearTimeout(late);
  return verdictOf({ code: child.exitCode ?? child.signalCode, out, err });
}
