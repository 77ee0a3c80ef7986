import type { Refused } from './api.ts';

/** What was told last, and to which question. */
export interface Known<T> {
  readonly question: string | undefined;
  readonly value: T | undefined;
  readonly failure: Refused | undefined;
}

export type Outcome<T> = { readonly value: T } | { readonly failure: Refused };

export interface Shown<T> {
  readonly value: T | undefined;
  readonly failure: Refused | undefined;
  /** The value answers the question before; the one that is asked now is still out. */
  readonly isEarlier: boolean;
}

export const nothingKnown = { question: undefined, value: undefined, failure: undefined };

/** A value stays beside a failure to refresh it, never beside that of another question. */
export function learned<T>(before: Known<T>, question: string, outcome: Outcome<T>): Known<T> {
  if ('value' in outcome) return { question, value: outcome.value, failure: undefined };
  const value = before.question === question ? before.value : undefined;
  return { question, value, failure: outcome.failure };
}

export function shownFor<T>(known: Known<T>, question: string | undefined): Shown<T> {
  const { value, failure } = known;
  if (known.question === question) return { value, failure, isEarlier: false };
  if (question === undefined) return { value: undefined, failure: undefined, isEarlier: false };
  return { value, failure: undefined, isEarlier: value !== undefined };
}
