/**
 * Whether the refused request is worth sending again: `soon` as it is, after Retry-After; `later` as it
 * is, once what it waits for has come; `changed` only with something else in it; `no` not at all.
 */
export type Again = 'soon' | 'later' | 'changed' | 'no';

export interface FaultText {
  /** What is wrong, where the place that refuses does not know more of it. */
  readonly says: string;
  /** What whoever is refused does next, in one short sentence. */
  readonly next: string;
  readonly again: Again;
}

export const sendAgain = 'Send the same request again after Retry-After.';
