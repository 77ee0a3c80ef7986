import { seededChoice } from '../../support/coordinator-faults.ts';

/** What a validator does to one run, beside evaluating it. */
export type Deed =
  /** Vanishes after the claim and comes back when the lease is over. */
  | 'silent'
  /** Sleeps past the lease in the middle of its results, then goes on as if nothing had been. */
  | 'sleeps'
  | 'gives back'
  /** Completes it as failed. */
  | 'fails'
  /** Puts the completion into a queue, where it is tried until it is answered, and claims again. */
  | 'queues'
  /** Sends a batch again that was answered. */
  | 'sends again'
  /** Completes once more, as before. */
  | 'completes twice'
  /** Completes once more, with something else. */
  | 'contradicts itself'
  | 'works';

// Of 1,000 runs; the rest are plain work.
const odds: readonly (readonly [Deed, number])[] = [
  ['silent', 60],
  ['sleeps', 60],
  ['gives back', 15],
  ['fails', 20],
  ['queues', 120],
  ['sends again', 150],
  ['completes twice', 60],
  ['contradicts itself', 40],
];

/** The same seed and name give the same sequence of deeds. */
export function deedsOf(seed: number, index: number): () => Deed {
  const choose = seededChoice(seed * 7919 + index);
  return () => {
    let drawn = choose(1000);
    for (const [deed, share] of odds) {
      drawn -= share;
      if (drawn < 0) return deed;
    }
    return 'works';
  };
}

/** Of 1,000 answers to claims: faults alone lose many in one short run and none in another. */
const lostClaims = 10;

/** Whether the answer to the next claim is lost on its way. */
export function claimsLostBy(seed: number, index: number): () => boolean {
  const choose = seededChoice(seed * 104_729 + index);
  return () => choose(1000) < lostClaims;
}

/** How a client was built, for ever. */
export interface Build {
  readonly scheme: 'session' | 'signed-headers';
  readonly usesKeys: boolean;
  readonly heedsRetryAfter: boolean;
  /** A beat is sent when it is due, even while the one before has no answer. */
  readonly beatsAnyway: boolean;
  readonly downloads: boolean;
}

export function buildOf(index: number): Build {
  return {
    scheme: index % 4 === 0 ? 'signed-headers' : 'session',
    usesKeys: index % 3 === 0,
    heedsRetryAfter: index % 5 === 0,
    beatsAnyway: index % 2 === 0,
    downloads: index % 7 === 0,
  };
}
