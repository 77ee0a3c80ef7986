import type { Check } from './check.ts';
import { foldChecks } from './folds.ts';
import { leaseChecks } from './leases.ts';
import { resultChecks } from './results.ts';
import { runtimeChecks } from './runtime.ts';
import { workChecks } from './work.ts';

/** Every rule that the database alone can show, by the number of its invariant. */
export const everyCheck: readonly Check[] = [
  ...leaseChecks,
  ...workChecks,
  ...resultChecks,
  ...runtimeChecks,
  ...foldChecks,
].toSorted((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
