import { analyseFile } from '../../../../infra/python/analyse-file.ts';
import { loadRuff } from '../../../../infra/python/ruff.ts';
import { startCPython } from '../../../support/cpython.ts';
import { corpus } from './corpus.ts';
import { witnessScript } from './cpython-witness.ts';
import type { Evasion } from './evasion.ts';
import { boundInFront, mutantOf } from './mutators.ts';

const profile = { agentPackages: ['paddock_agent'], entryPoint: undefined };

export interface EvasionsTried {
  readonly tried: number;
  readonly accepted: readonly Evasion[];
  readonly mutants: readonly Evasion[];
}

export function tryEvasions(mutantsOfEach: number, seed: number, every = 1): EvasionsTried {
  const chosen = corpus.filter((_, index) => (index + seed) % every === 0);
  const mutants = chosen.flatMap((evasion, index) =>
    Array.from({ length: mutantsOfEach }, (_, n) => {
      const source = mutantOf(evasion.source, seed * 1_000_003 + index * 1009 + n);
      return source === null ? [] : [{ ...evasion, source }];
    }).flat(),
  );
  const all = mutantsOfEach === 0 ? chosen : mutants;
  return { tried: all.length, accepted: acceptedOf(all), mutants };
}

/** Every evasion with each builtin that it names bound in front of it. */
export function tryBoundInFront(every = 1): EvasionsTried {
  const chosen = corpus.filter((_, index) => index % every === 0);
  const mutants = chosen.flatMap((evasion) =>
    boundInFront(evasion.source).map((source) => ({ ...evasion, source })),
  );
  return { tried: mutants.length, accepted: acceptedOf(mutants), mutants };
}

function acceptedOf(evasions: readonly Evasion[]): readonly Evasion[] {
  const ruff = loadRuff();
  return evasions.filter(
    ({ source }) => analyseFile(Buffer.from(source), ruff, profile).kind === 'clean',
  );
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
