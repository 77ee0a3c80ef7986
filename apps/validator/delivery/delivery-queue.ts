import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { type Attempt, type Delivered, type Delivery, pauseMs } from './delivery.ts';
import { openDeliveryFolder } from './delivery-folder.ts';

/** One attempt; `later` is tried again until it is something else. */
export type Attempted = Attempt & { readonly retryAfterSeconds?: number | undefined };

export interface QueueOptions {
  readonly folder: string;
  readonly send: (one: Delivery, signal: AbortSignal) => Promise<Attempted>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onRetry: () => void;
  /** True unless told: each is sent when all before it are answered. */
  readonly isOrdered?: boolean;
}

interface Waiting {
  readonly name: string;
  readonly delivery: Delivery;
  readonly outcome: Promise<Delivered>;
  readonly settle: (outcome: Delivered) => void;
}

/**
 * Sends what was handed in, one after the other, again and again until each is answered; what a former
 * process has left goes first. In an ordered queue a completion never overtakes the results it stands on; in
 * another one, what never gets through is in nobody's way.
 */
export class DeliveryQueue {
  readonly #options: QueueOptions;
  readonly #folder: Awaited<ReturnType<typeof openDeliveryFolder>>;
  readonly #waiting: Waiting[] = [];
  /** Attempts since something was answered. */
  #unanswered = 0;
  readonly #stopping = new AbortController();
  #wake = () => {};
  #idle: Promise<void> = Promise.resolve();
  #sending: Promise<void>;

  static async open(options: QueueOptions): Promise<DeliveryQueue> {
    return new DeliveryQueue(options, await openDeliveryFolder(options.folder));
  }

  private constructor(
    options: QueueOptions,
    folder: Awaited<ReturnType<typeof openDeliveryFolder>>,
  ) {
    this.#options = options;
    this.#folder = folder;
    for (const { name, delivery } of folder.kept) void this.#wait(name, delivery);
    if (folder.kept.length > 0) {
      options.log.info('sending what an earlier process has left', { count: folder.kept.length });
    }
    for (const name of folder.unreadable) options.log.error('set aside, not readable', { name });
    this.#sending = this.#sendAll();
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** What becomes of a run's completion; undefined where none waits here. */
  completionOf(evalRunId: string): Promise<Delivered> | undefined {
    const isOf = ({ delivery }: Waiting) =>
      delivery.kind === 'completion' && delivery.evalRunId === evalRunId;
    return this.#waiting.find(isOf)?.outcome;
  }

  /** Resolves once it is on disk; what became of it follows. */
  async put(delivery: Delivery): Promise<{ readonly outcome: Promise<Delivered> }> {
    const name = await this.#folder.put(delivery);
    const outcome = this.#wait(name, delivery);
    this.#wake();
    return { outcome };
  }

  #wait(name: string, delivery: Delivery): Promise<Delivered> {
    const { promise: outcome, resolve: settle } = Promise.withResolvers<Delivered>();
    this.#waiting.push({ name, delivery, outcome, settle });
    return outcome;
  }

  /** Resolves when nothing waits any more, or at the latest when `signal` aborts. */
  async untilEmpty(signal: AbortSignal): Promise<void> {
    while (this.size > 0 && !signal.aborted) await this.#options.clock.sleep(pollMs, signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const [first] = this.#waiting;
      if (first === undefined) await this.#untilPut();
      else await this.#sendOne(first);
    }
  }

  async #sendOne(one: Waiting): Promise<void> {
    const { log, send } = this.#options;
    const { name, delivery, settle } = one;
    const attempt = await send(delivery, this.#stopping.signal);
    if (attempt.kind === 'later') return await this.#putOff(one, attempt);
    this.#unanswered = 0;
    // Only now: who dies between the answer and this sends it once more, which changes nothing.
    await this.#folder.remove(name);
    this.#waiting.shift();
    if (attempt.kind === 'refused')
      log.warn('refused for good', { ...about(delivery), reason: attempt.reason });
    settle(attempt);
  }

  async #putOff(
    one: Waiting,
    { reason, retryAfterSeconds }: Extract<Attempted, { readonly kind: 'later' }>,
  ): Promise<void> {
    const { clock, isOrdered = true, log, onRetry } = this.#options;
    onRetry();
    log.warn('not acknowledged, sent again later', { ...about(one.delivery), reason });
    if (!isOrdered) {
      this.#waiting.shift();
      this.#waiting.push(one);
    }
    await clock.sleep(pauseMs(this.#unanswered, retryAfterSeconds), this.#stopping.signal);
    this.#unanswered += 1;
  }

  async #untilPut(): Promise<void> {
    if (this.#waiting.length > 0) return;
    this.#idle = new Promise((resolve) => {
      this.#wake = resolve;
    });
    if (this.#stopping.signal.aborted) return;
    await this.#idle;
  }
}

const pollMs = 20;

function about({ kind, evalRunId }: Delivery) {
  return { kind, eval_run_id: evalRunId };
}
