import type { Invariant } from './invariants.ts';
import type { CheckOutcome } from './run-checks.ts';

export interface Violation {
  readonly rule: string;
  readonly count: number;
  readonly examples: readonly object[];
}

/** What is known of one invariant after its checks. */
export interface Finding {
  readonly id: string;
  readonly subject: string;
  readonly verdict: 'holds' | 'violated' | 'unfinished' | 'not checkable here';
  readonly checks: number;
  /** Looked through by all of its checks, rows of several relations. */
  readonly rows: number;
  readonly ms: number;
  readonly violations: readonly Violation[];
  /** What was left out, and where the rest is shown. */
  readonly notes: readonly string[];
}

/** Of one rule; a broken rule is often broken a thousand times. */
const examplesMax = 5;

/** `leftOut`: how many checks were not made because no process works on the database. */
export function findingOf(
  invariant: Invariant,
  outcomes: readonly CheckOutcome[],
  leftOut = 0,
): Finding {
  const { id, subject, elsewhere } = invariant;
  const made = outcomes.filter(({ trouble }) => trouble === undefined);
  const violations = made.flatMap(({ rule, violations: found }) =>
    found.length === 0
      ? []
      : [{ rule, count: found.length, examples: found.slice(0, examplesMax) }],
  );
  return {
    id,
    subject,
    verdict: verdictOf(outcomes, violations.length > 0),
    checks: made.length,
    rows: made.reduce((sum, { rows }) => sum + rows, 0),
    ms: Math.round(outcomes.reduce((sum, { ms }) => sum + ms, 0)),
    violations,
    notes: [
      ...troubleNotes(outcomes),
      ...made.flatMap(({ unjudged }) => unjudged ?? []),
      ...(leftOut === 0
        ? []
        : [
            `${leftOut} of ${leftOut + outcomes.length} checks left out: they need processes at work`,
          ]),
      ...(elsewhere === undefined
        ? []
        : [made.length === 0 ? elsewhere : `not here: ${elsewhere}`]),
    ],
  };
}

function verdictOf(outcomes: readonly CheckOutcome[], isViolated: boolean): Finding['verdict'] {
  if (isViolated) return 'violated';
  if (outcomes.some(({ trouble }) => trouble === 'timeout')) return 'unfinished';
  return outcomes.every(({ trouble }) => trouble !== undefined) ? 'not checkable here' : 'holds';
}

function troubleNotes(outcomes: readonly CheckOutcome[]): string[] {
  const forbidden = outcomes.filter(({ trouble }) => trouble === 'forbidden');
  const slow = outcomes.filter(({ trouble }) => trouble === 'timeout');
  return [
    ...(forbidden.length === 0
      ? []
      : [`${forbidden.length} of ${outcomes.length} checks need more than this login may read`]),
    ...slow.map(({ rule }) => `out of time: ${rule}`),
  ];
}

/** `INV-01  holds  4 checks, 1,204 rows, 35 ms  what it is about (where the rest is shown)`. */
export function lineOf({ id, subject, verdict, checks, rows, ms, notes }: Finding): string {
  const counted =
    checks === 0
      ? ''
      : `${checks} ${checks === 1 ? 'check' : 'checks'}, ${rows.toLocaleString('en')} rows, ${ms} ms`;
  const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `${id}  ${verdict.padEnd(18)}  ${counted.padEnd(34)}  ${subject}${note}`;
}

/**
 * 1 when one is violated, 2 when something could not be checked to its end: a login that may read nothing has
 * checked nothing, which is not to say that all holds.
 */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 | 2 {
  if (findings.some(({ verdict }) => verdict === 'violated')) return 1;
  const isUnfinished = findings.some(({ verdict }) => verdict === 'unfinished');
  return isUnfinished || findings.every(({ checks }) => checks === 0) ? 2 : 0;
}

export function summaryOf(findings: readonly Finding[], ms: number): string {
  const of = (wanted: Finding['verdict']) =>
    findings.filter(({ verdict }) => verdict === wanted).length;
  const parts = [
    `${of('holds')} hold`,
    `${of('violated')} violated`,
    `${of('unfinished')} unfinished`,
    `${of('not checkable here')} not checkable here`,
  ];
  return `${findings.length} invariants in ${(ms / 1000).toFixed(1)} s: ${parts.join(', ')}.`;
}
