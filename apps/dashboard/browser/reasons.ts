import { explained } from '../../../machines/reasons/explained.ts';
import { type ReasonField, textOfReason } from '../../../machines/reasons/reason-kinds.ts';
import { wordsOf } from './format.ts';

/** What a code means, where it need not stand beside it. */
export function meaningOf(field: ReasonField, code: string): string {
  return textOfReason(field, code)?.says ?? `${wordsOf(code)}.`;
}

interface Ended {
  readonly failure_reason: string | null;
  readonly exclusion_reason: string | null;
}

/** Why a run did not succeed, or does not count. */
export function whyOfRun(run: Ended): string | null {
  if (run.failure_reason !== null) return explained('failure_reason', run.failure_reason);
  return run.exclusion_reason && explained('exclusion_reason', run.exclusion_reason);
}
