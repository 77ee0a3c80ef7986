import { type Delivered, releasePatienceMs } from './delivery.ts';
import { DeliveryQueue, type QueueOptions } from './delivery-queue.ts';

/** The service answers sooner, or is away; then nothing is gained by waiting. */
const answerMs = 10_000;

/** What the service said, or undefined where it did not in time: it is asked again. */
export type GivenBack = Delivered | undefined;

interface Given {
  /** On disk, and asked for by the next process where it must. */
  readonly isKept: boolean;
  readonly answer: Promise<GivenBack>;
}

/**
 * Gives runs back, so that they are offered again at once. What is to be given back is on disk before the
 * service is asked, and asked for until it is answered, by the next process too: until then, or the end of its
 * lease, nobody else may have the run, and we get no other. It does not stand in the queue of results, behind
 * what may wait for a store.
 */
export class Releases {
  readonly #options: Pick<QueueOptions, 'clock' | 'log'>;
  readonly #queue: DeliveryQueue;

  static async open(options: QueueOptions): Promise<Releases> {
    const send = saying(options);
    const queue = await DeliveryQueue.open({ ...options, send, isOrdered: false });
    return new Releases(options, queue);
  }

  private constructor(options: QueueOptions, queue: DeliveryQueue) {
    this.#options = options;
    this.#queue = queue;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Whether the service has not answered yet what it was asked of this run. */
  isGiving(evalRunId: string): boolean {
    return this.#queue.isWaiting(evalRunId);
  }

  /** Certain when it resolves, if it is kept, which a full disk forbids; what the service says follows soon. */
  async give(evalRunId: string, reason: string): Promise<Given> {
    const untilMs = this.#options.clock.nowMs() + releasePatienceMs;
    const release = { kind: 'release', evalRunId, reason, untilMs } as const;
    try {
      const { outcome } = await this.#queue.put(release);
      return { isKept: true, answer: this.#soon(outcome) };
    } catch (error) {
      this.#options.log.error('a release is not on disk', { eval_run_id: evalRunId, error });
      const { outcome } = this.#queue.putUnkept(release);
      return { isKept: false, answer: this.#soon(outcome) };
    }
  }

  /** What was not answered stays on disk. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #soon(outcome: Promise<Delivered>): Promise<GivenBack> {
    const over = new AbortController();
    const late = this.#options.clock.sleep(answerMs, over.signal).then(() => undefined);
    const answer = await Promise.race([outcome, late]);
    over.abort();
    return answer;
  }
}

function saying({ log, send }: QueueOptions): QueueOptions['send'] {
  return async (one, signal) => {
    const attempt = await send(one, signal);
    if (attempt.kind === 'acknowledged' && one.kind === 'release')
      log.info('released', { eval_run_id: one.evalRunId, reason: one.reason });
    return attempt;
  };
}
