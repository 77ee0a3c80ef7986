import type { Clock } from '../../../infra/ports/clock.ts';

/** A line slower than this is taken for a broken one: 20 kB per second. */
export const lineBytesPerMs = 20;

/**
 * The time in which an answer must be there, its body included. What has come of the body buys as much time
 * as the slowest line takes for it, but never more than there was at first: a large answer is not late for its
 * size, and one that stalls or drips is, however much came before.
 */
export class AnswerLimit {
  readonly #clock: Clock;
  readonly #late = new AbortController();
  readonly #done = new AbortController();
  readonly #limitMs: number;
  #deadlineMs: number;

  constructor(limitMs: number, clock: Clock) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#deadlineMs = clock.monotonicMs() + limitMs;
    void this.#watch();
  }

  /** Aborts when the answer is late. */
  get signal(): AbortSignal {
    return this.#late.signal;
  }

  came(bytes: number): void {
    const boughtMs = this.#deadlineMs + bytes / lineBytesPerMs;
    this.#deadlineMs = Math.min(boughtMs, this.#clock.monotonicMs() + this.#limitMs);
  }

  /** The answer is there, or is waited for no longer. */
  end(): void {
    this.#done.abort();
  }

  async #watch(): Promise<void> {
    while (!this.#done.signal.aborted) {
      const leftMs = this.#deadlineMs - this.#clock.monotonicMs();
      if (leftMs <= 0) return this.#late.abort();
      await this.#clock.sleep(leftMs, this.#done.signal);
    }
  }
}

/** The same answer, which tells the limit of each piece of its body. */
export function limited(answer: Response, limit: AnswerLimit): Response {
  if (answer.body === null) return answer;
  const pieces = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, into) {
      limit.came(piece.length);
      into.enqueue(piece);
    },
  });
  return new Response(answer.body.pipeThrough(pieces), answer);
}
