import type { CodeReleaseReason } from '../reasons/codes.ts';

/** What the release of a version's code depends on; instants are Unix milliseconds. */
export interface CodeHistory {
  readonly submittedAtMs: number;
  /** When it first became top; null when it never did. */
  readonly topAtMs: number | null;
}

export interface CodeRelease {
  readonly atMs: number;
  readonly reason: CodeReleaseReason;
}

/**
 * When a version's code becomes public, and stays so whatever happens to the version (rules.md
 * section 6): on becoming top, else `privateMs` after its submission.
 */
export function codeReleaseOf(
  { submittedAtMs, topAtMs }: CodeHistory,
  privateMs: number,
): CodeRelease {
  const agedAtMs = submittedAtMs + privateMs;
  return topAtMs !== null && topAtMs < agedAtMs
    ? { atMs: topAtMs, reason: 'TOP' }
    : { atMs: agedAtMs, reason: 'AGED' };
}

/** From that very millisecond on. */
export function isCodeReleased({ atMs }: CodeRelease, nowMs: number): boolean {
  return nowMs >= atMs;
}
