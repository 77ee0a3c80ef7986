import type { Mutant } from './mutant.ts';
import { leaseMutants } from './planted/leases.ts';
import { messageMutants } from './planted/messages.ts';
import { raceMutants } from './planted/races.ts';
import { resultMutants } from './planted/results.ts';
import { runtimeMutants } from './planted/runtime.ts';
import { workMutants } from './planted/work.ts';

export const everyMutant: readonly Mutant[] = [
  ...leaseMutants,
  ...workMutants,
  ...resultMutants,
  ...runtimeMutants,
  ...messageMutants,
  ...raceMutants,
];

export function mutantNamed(id: string): Mutant {
  const found = everyMutant.find((mutant) => mutant.id === id);
  if (found === undefined) throw new Error(`nobody has planted ${id}`);
  return found;
}
