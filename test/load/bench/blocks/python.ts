import { createCodeAnalyser } from '../../../../infra/python/python-analyser.ts';
import { fuzzPython, type PythonFuzzReport } from '../../../fuzz/python/fuzz-python.ts';
import { sampleFiles } from '../../../fuzz/python/samples.ts';
import { standardLibrary } from '../../../fuzz/python/standard-library.ts';
import { bombs } from '../../../infra/python/bombs.ts';
import { composedAgents } from '../../../infra/python/honest/agents.ts';
import { startCPython } from '../../../support/cpython.ts';
import { type Block, type Figure, mustBeRight } from '../block.ts';
import { watchMemory } from '../faults/memory.ts';
import { median, read } from '../judge.ts';
import type { Lab } from '../lab.ts';

const mib = 2 ** 20;
const seed = 20;
/** Of the corpus, in a quick run. */
const quickEvery = 6;
/** Of the standard library's files; `proof:python` reads them all. */
const libraryEvery = 10;

/** The analyser alone, as an edge runs it: files that are dear to read, and verdicts beside CPython's. */
export const python: Block = {
  name: 'python',
  goals: [19, 20],
  isQuick: false,
  async run(lab) {
    return [...(await hostile(lab)), ...(await accuracy(lab))];
  },
};

const honest = Buffer.from('x = 1\n');

/** One file after the other through the same threads, which must judge an honest one after each. */
async function hostile(lab: Lab): Promise<readonly Figure[]> {
  const analyser = createCodeAnalyser();
  const corpus = Object.entries(bombs).filter(
    (_, index) => !lab.isQuick || index % quickEvery === 0,
  );
  const tookMs = new Map<string, number>();
  const accepted: string[] = [];
  // The first large file that a process sees has the engine optimise what reads it: no bomb's time.
  await analyser.analyse(composedAgents(60).at(-1)?.file ?? honest).catch(() => undefined);
  const watch = watchMemory([process.pid]);
  const before = process.memoryUsage().rss;
  try {
    for (const [name, text] of corpus) {
      const file = Buffer.from(text);
      const startedMs = performance.now();
      // A refusal for its cost is a verdict too.
      const verdict = await analyser.analyse(file).catch((error: unknown) => String(error));
      tookMs.set(name, performance.now() - startedMs);
      if (typeof verdict === 'object' && verdict.kind === 'clean') accepted.push(name);
      const next = await analyser.analyse(honest);
      mustBeRight(next.kind === 'clean' ? [] : [`after "${name}" an honest file was refused`]);
    }
  } finally {
    await analyser.stop();
  }
  const grown = Math.max(0, watch.stop().sumBytes - before) / mib;
  const [worst = '', worstMs = Number.NaN] = [...tookMs].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const told = { goal: 19, isHigherBetter: false } as const;
  return [
    read({
      ...{ ...told, what: 'hostile files of 900 kB, the worst', unit: 'ms', values: [worstMs] },
      ...{ must: 1_000, aim: 250 },
      note: `"${worst}", of ${corpus.length}; accepted, as CPython does: ${accepted.join(', ') || 'none'}`,
    }),
    read({
      ...told,
      what: 'hostile files, median',
      unit: 'ms',
      values: [median([...tookMs.values()])],
    }),
    read({
      ...{
        ...told,
        what: 'hostile files, memory of the process that reads',
        unit: 'MiB',
        values: [grown],
      },
      ...{
        must: 200,
        aim: 96,
        note: 'the most over what it held before the first, all of them together',
      },
    }),
  ];
}

/** What is accepted and refused beside `compile` of the pinned CPython; trees are compared as well. */
async function accuracy(lab: Lab): Promise<readonly Figure[]> {
  const library = lab.isQuick ? [] : await ofCPython();
  const onLibrary = library.length === 0 ? undefined : await compared(library, library.length);
  const made = await compared(sampleFiles, lab.sized(150, 200));
  const right = ({ files, differences }: PythonFuzzReport) => (files - differences.length) / files;
  const told = { goal: 20, unit: '', isHigherBetter: true } as const;
  const noteOf = ({ files, compiled, differences }: PythonFuzzReport) =>
    `${files} files, ${compiled} of which CPython compiles; differences: ` +
    (differences[0]?.slice(0, 200) ?? 'none');
  return [
    read({
      ...{
        ...told,
        what: 'verdicts that are CPython’s',
        values: [right(made)],
        must: 1,
        note: noteOf(made),
      },
      beside: {
        peer: { name: 'ruff and our reader alone', value: 1 - made.readByUsAlone / made.files },
      },
    }),
    ...(onLibrary === undefined
      ? []
      : [
          read({
            ...{ ...told, what: 'the standard library (a tenth), read as CPython does', must: 1 },
            ...{ values: [right(onLibrary)], note: noteOf(onLibrary) },
          }),
        ]),
  ];
}

async function ofCPython(): Promise<readonly Uint8Array[]> {
  const cpython = startCPython();
  try {
    return (await standardLibrary(cpython)).filter((_, index) => index % libraryEvery === 0);
  } finally {
    await cpython.dispose();
  }
}

function compared(samples: readonly Uint8Array[], count: number): Promise<PythonFuzzReport> {
  return fuzzPython({ seed, count, samples });
}
