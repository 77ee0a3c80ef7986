import type { Clock } from '../../../infra/ports/clock.ts';
import { refusal } from '../../../machines/refusal.ts';

export interface Order {
  /** The same for whoever asks for the same again. */
  readonly key: string;
  /** How long its caller waits; without end where it does not say. */
  readonly budgetMs: number | undefined;
}

export interface Steps<P, R> {
  /** Done before its turn comes, so that what is slow here holds up no other order. */
  readonly prepare: () => Promise<P>;
  /** Is told how long somebody waits for it. */
  readonly carryOut: (prepared: P, leftMs: number) => Promise<R>;
}

interface InHand {
  /** By the monotonic clock. */
  untilMs: number;
  outcome: Promise<unknown>;
}

/** A ban, which tells 68 partitions, took a third of it with many others behind it and two busy cores. */
const leastMs = 1_000;

/**
 * Orders of this process, one after the other. All of them wait for one lock, and one that waited for it in the
 * database would keep a transaction from all other services of the process: nobody could sign in meanwhile.
 *
 * 1. What is asked for again while it is prepared, waits or is under way is the same order, and takes no place of
 *    its own.
 * 2. What would not be over while somebody waits for it is not begun when its turn comes: its caller may order the
 *    opposite before, and those behind it would be late for its sake.
 */
export class OrderLine {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #inHand = new Map<string, InHand>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  async inTurn<P, R>({ key, budgetMs }: Order, { prepare, carryOut }: Steps<P, R>): Promise<R> {
    const untilMs = this.#clock.monotonicMs() + (budgetMs ?? Number.POSITIVE_INFINITY);
    const known = this.#inHand.get(key);
    if (known !== undefined) {
      known.untilMs = Math.max(known.untilMs, untilMs);
      // Sound because who asks for the same hears the same.
      return (await known.outcome) as R;
    }
    const inHand: InHand = { untilMs, outcome: this.#last };
    const outcome = prepare()
      .then((prepared) => this.#takeTurn(() => this.#begin(inHand, prepared, carryOut)))
      .finally(() => this.#inHand.delete(key));
    inHand.outcome = outcome;
    this.#inHand.set(key, inHand);
    return await outcome;
  }

  #takeTurn<R>(work: () => Promise<R>): Promise<R> {
    const outcome = this.#last.then(work);
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  async #begin<P, R>(
    { untilMs }: InHand,
    prepared: P,
    carryOut: Steps<P, R>['carryOut'],
  ): Promise<R> {
    const leftMs = untilMs - this.#clock.monotonicMs();
    if (leftMs < leastMs)
      throw refusal('OVERLOADED', { says: 'Too many orders came before this one.' });
    return await carryOut(prepared, leftMs);
  }
}
