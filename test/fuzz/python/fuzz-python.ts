import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createPythonJudge } from '../../../infra/python/cpython/python-judge.ts';
import { loadRuff } from '../../../infra/python/ruff.ts';
import { startCPython } from '../../support/cpython.ts';
import { Dice } from '../dice.ts';
import { compare } from './differences.ts';
import { factsOfCPython } from './facts-of-cpython.ts';
import { mutated, randomBytes, shuffled } from './mutations.ts';
import { ProgramWriter } from './programs.ts';

export interface PythonFuzzPlan {
  readonly seed: number;
  readonly count: number;
  /** Honest files, compared as they are first and mutated later. */
  readonly samples: readonly Uint8Array[];
  readonly onDifference?: (difference: string) => void;
}

export interface PythonFuzzReport {
  readonly files: number;
  readonly compiled: number;
  /** What ruff and our reader alone would have taken for Python, CPython not. */
  readonly readByUsAlone: number;
  readonly differences: readonly string[];
}

const differencesMax = 20;

export async function fuzzPython(plan: PythonFuzzPlan): Promise<PythonFuzzReport> {
  const python = startCPython();
  const judge = createPythonJudge({ deadlineMs: 20_000, clock: systemClock });
  const parties = { judge, python, tree: await factsOfCPython(python), ruff: loadRuff() };
  const dice = new Dice(plan.seed);
  const differences: string[] = [];
  let [files, compiled, readByUsAlone] = [0, 0, 0];
  try {
    for (; files < plan.count && differences.length < differencesMax; files += 1) {
      const file = plan.samples[files] ?? nextFile(dice, plan.samples);
      const { compiles, isRead, difference } = await compare(file, parties);
      if (compiles) compiled += 1;
      else if (isRead) readByUsAlone += 1;
      if (difference === null) continue;
      differences.push(
        `${difference}\n${JSON.stringify(Buffer.from(file).toString('utf8')).slice(0, 2000)}`,
      );
      plan.onDifference?.(differences.at(-1) ?? '');
    }
  } finally {
    await Promise.all([python.dispose(), judge.rest()]);
  }
  return { files, compiled, readByUsAlone, differences };
}

function nextFile(dice: Dice, samples: readonly Uint8Array[]): Uint8Array {
  const program = () => new ProgramWriter(dice).program();
  const sample = () => dice.pick(samples) ?? Buffer.from(program());
  return dice.pick([
    () => Buffer.from(program()),
    () => Buffer.from(program()),
    () => Buffer.from(program()),
    () => mutated(Buffer.from(program()), dice),
    () => mutated(sample(), dice),
    () => shuffled(program(), dice),
    () => randomBytes(dice),
  ])();
}
