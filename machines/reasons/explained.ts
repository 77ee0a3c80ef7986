import { type ReasonField, textOfEntry, textOfReason } from './reason-kinds.ts';
import type { ReasonText } from './reason-text.ts';

/** A reason with what its code means: "NO_TASK: There was no task left …". Words are left alone. */
export function explained(field: ReasonField, reason: string): string {
  return withMeaning(reason, textOfReason(field, reason));
}

/** The same of what a timeline's entry says. */
export function explainedEntry(event: string, detail: string): string {
  return withMeaning(detail, textOfEntry(event, detail));
}

/** Of a version that is over: codes are of the rules, and words an operator's. */
export function explainedDiscard(reason: string): string {
  const text = textOfReason('discard_reason', reason);
  return text === undefined ? `An operator discarded it: ${reason}` : withMeaning(reason, text);
}

function withMeaning(said: string, text: ReasonText | undefined): string {
  return text === undefined ? said : `${said}: ${text.says}`;
}
