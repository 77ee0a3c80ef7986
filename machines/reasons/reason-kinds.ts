import {
  codeReleaseTexts,
  pinTexts,
  qualificationTexts,
  raceCancelTexts,
  reignEndTexts,
  similarityTexts,
  unfinishedTexts,
} from './race-texts.ts';
import type { ReasonText } from './reason-text.ts';
import {
  discardTexts,
  exclusionTexts,
  faultClassTexts,
  holdTexts,
  judgingTexts,
  reopeningTexts,
  runEndTexts,
} from './run-texts.ts';

export type ReasonKind = Readonly<Record<string, ReasonText>>;

/** What each field of an answer may say; what is no code there is somebody's own words. */
const kindsByField = {
  blocked_reason: holdTexts,
  cancel_reason: raceCancelTexts,
  discard_reason: discardTexts,
  exclusion_reason: exclusionTexts,
  failure_class: faultClassTexts,
  failure_reason: runEndTexts,
  hold_reason: holdTexts,
  pin_disabled_reason: pinTexts,
  qualification_type: qualificationTexts,
  release_reason: codeReleaseTexts,
  selection_fallback_reason: pinTexts,
  unfinished_reason: unfinishedTexts,
  'items.reason': judgingTexts,
  'race-cancelled.reason': raceCancelTexts,
  reasons: similarityTexts,
  'top-changed.reason': reignEndTexts,
  'waiting.reason': holdTexts,
} as const satisfies Readonly<Record<string, ReasonKind>>;

/** The entries of a version's timeline that end with a code. */
const kindsByEvent: Readonly<Record<string, ReasonKind>> = {
  cancelled: discardTexts,
  discarded: discardTexts,
  pin_not_honoured: pinTexts,
  race_cancelled: raceCancelTexts,
  race_completed: unfinishedTexts,
  race_entered: qualificationTexts,
  reign_ended: reignEndTexts,
  run_cancelled: runEndTexts,
  run_excluded: exclusionTexts,
  run_failed: faultClassTexts,
  run_stale: runEndTexts,
  run_timed_out: faultClassTexts,
  work_held: holdTexts,
  work_reopened: reopeningTexts,
};

export type ReasonField = keyof typeof kindsByField;

/** Undefined for what is no code, such as an operator's own words. */
export function textOfReason(field: ReasonField, reason: string): ReasonText | undefined {
  return textIn(kindsByField[field], reason);
}

export function codesOf(field: ReasonField): readonly string[] {
  return Object.keys(kindsByField[field]);
}

export function isReasonField(name: string): name is ReasonField {
  return Object.hasOwn(kindsByField, name);
}

/**
 * Of a timeline: the code alone, or as in "run 1f…: LEASE_EXPIRED", "race 3 as PINNED" and
 * "race 3: no rank among 40: AGENT_FAULT".
 */
export function textOfEntry(event: string, detail: string): ReasonText | undefined {
  const kind = Object.hasOwn(kindsByEvent, event) ? kindsByEvent[event] : undefined;
  return kind && textIn(kind, codeOfDetail.exec(detail)?.[1] ?? '');
}

const codeOfDetail = /^(?:run [\w-]+: |race \d+(?:: (?:no rank among \d+: )?| as ))?(\w+)$/;

function textIn(kind: ReasonKind, reason: string): ReasonText | undefined {
  return Object.hasOwn(kind, reason) ? kind[reason] : undefined;
}
