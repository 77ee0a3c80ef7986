/**
 * npm run proof:evasions -- [mutants of each] [seed]: every evasion and its mutants against the
 * rules, and a sample of the mutants in CPython, where they must still reach what they reach.
 */
import { analyseFile } from '../../../../infra/python/analyse-file.ts';
import { loadRuff } from '../../../../infra/python/ruff.ts';
import { startCPython } from '../../../support/cpython.ts';
import { corpus } from './corpus.ts';
import { witnessScript } from './cpython-witness.ts';
import type { Evasion } from './evasion.ts';
import { mutantOf } from './mutators.ts';

const profile = { agentPackages: ['paddock_agent'], entryPoint: undefined };

export interface EvasionsTried {
  readonly tried: number;
  readonly accepted: readonly Evasion[];
  readonly mutants: readonly Evasion[];
}

export function tryEvasions(mutantsOfEach: number, seed: number, every = 1): EvasionsTried {
  const ruff = loadRuff();
  const chosen = corpus.filter((_, index) => (index + seed) % every === 0);
  const mutants = chosen.flatMap((evasion, index) =>
    Array.from({ length: mutantsOfEach }, (_, n) => {
      const source = mutantOf(evasion.source, seed * 1_000_003 + index * 1009 + n);
      return source === null ? [] : [{ ...evasion, source }];
    }).flat(),
  );
  const all = mutantsOfEach === 0 ? chosen : mutants;
  const accepted = all.filter(
    ({ source }) => analyseFile(Buffer.from(source), ruff, profile).kind === 'clean',
  );
  return { tried: all.length, accepted, mutants };
}

/** What CPython says of each; `reached` where the evasion does what it claims. */
export async function witnessed(evasions: readonly Evasion[]): Promise<readonly string[]> {
  const python = startCPython();
  try {
    const answer = await python.run(witnessScript(evasions), { deadlineMs: 300_000 });
    if (!answer.ok) throw new Error(`CPython did not run the evasions: ${answer.error}`);
    const text = Buffer.from((answer.value ?? '').slice(1, -1), 'base64').toString();
    return JSON.parse(text) as string[];
  } finally {
    await python.dispose();
  }
}

async function main(): Promise<void> {
  const [mutantsOfEach = 20, seed = 1] = process.argv.slice(2).map(Number);
  const styles = new Set(corpus.map(({ style }) => style)).size;
  const plain = tryEvasions(0, 0);
  const mutated = tryEvasions(mutantsOfEach, seed);
  const outcomes = await witnessed(corpus);
  const sample = mutated.mutants.filter((_, index) => index % 17 === seed % 17).slice(0, 400);
  const kept = (await witnessed(sample)).filter((outcome) => outcome === 'reached').length;
  console.log(`evasions ${corpus.length} in ${styles} styles, accepted ${plain.accepted.length}`);
  console.log(`reached in CPython ${outcomes.filter((each) => each === 'reached').length}`);
  console.log(`mutants ${mutated.tried} (seed ${seed}), accepted ${mutated.accepted.length}`);
  console.log(`mutants that kept their meaning, of a sample: ${kept} of ${sample.length}`);
  for (const { id, source } of [...plain.accepted, ...mutated.accepted].slice(0, 20))
    console.log(`ACCEPTED ${id}\n${source}`);
  if (plain.accepted.length + mutated.accepted.length > 0) process.exitCode = 1;
}

if (import.meta.filename === process.argv[1]) await main();
