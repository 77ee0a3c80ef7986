import type { Check } from './check.ts';
import { codeReleaseChecks } from './code-release.ts';
import { fieldChecks } from './field.ts';
import { foldChecks } from './folds.ts';
import { identityChecks } from './identity.ts';
import { leaseChecks } from './leases.ts';
import { operatorChecks } from './operators.ts';
import { raceResultChecks } from './race-results.ts';
import { raceChecks } from './races.ts';
import { resultChecks } from './results.ts';
import { runLimitChecks } from './run-limits.ts';
import { runtimeChecks } from './runtime.ts';
import { standingsChecks } from './standings.ts';
import { strangerChecks } from './strangers.ts';
import { submissionChecks } from './submissions.ts';
import { workChecks } from './work.ts';

/** Every rule that the database alone can show, by the number of its invariant. */
export const everyCheck: readonly Check[] = [
  ...leaseChecks,
  ...strangerChecks,
  ...runLimitChecks,
  ...workChecks,
  ...resultChecks,
  ...submissionChecks,
  ...codeReleaseChecks,
  ...raceChecks,
  ...fieldChecks,
  ...raceResultChecks,
  ...standingsChecks,
  ...identityChecks,
  ...operatorChecks,
  ...runtimeChecks,
  ...foldChecks,
].toSorted((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
