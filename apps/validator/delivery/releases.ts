import { DeliveryQueue, type QueueOptions } from './delivery-queue.ts';

/** The service answers sooner, or is away; then nothing is gained by waiting. */
const answerMs = 10_000;

/**
 * Gives runs back, so that they are offered again at once. What is to be given back is on disk before the
 * service is asked, and asked for until it is answered, by the next process too: nobody else may have the run
 * until then, and we get no other. It does not stand in the queue of results, behind what may wait for a store.
 */
export class Releases {
  readonly #options: QueueOptions;
  readonly #queue: DeliveryQueue;

  static async open(options: QueueOptions): Promise<Releases> {
    const { log } = options;
    const queue = await DeliveryQueue.open({
      ...options,
      async send(one, signal) {
        const attempt = await options.send(one, signal);
        if (attempt.kind === 'acknowledged' && one.kind === 'release')
          log.info('released', { eval_run_id: one.evalRunId, reason: one.reason });
        return attempt;
      },
    });
    return new Releases(options, queue);
  }

  private constructor(options: QueueOptions, queue: DeliveryQueue) {
    this.#options = options;
    this.#queue = queue;
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Certain when it resolves. False where the service says that the run was ours no more. */
  async give(evalRunId: string, reason: string): Promise<boolean> {
    const { outcome } = await this.#queue.put({ kind: 'release', evalRunId, reason });
    const answered = new AbortController();
    const late = this.#options.clock.sleep(answerMs, answered.signal);
    const settled = await Promise.race([outcome, late]);
    answered.abort();
    return settled?.kind !== 'refused';
  }

  /** What was not answered stays on disk. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }
}
