import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { type Attempt, type Delivered, type Delivery, pauseMs } from './delivery.ts';
import { openDeliveryFolder } from './delivery-folder.ts';
import { ProxyPatience } from './proxy-patience.ts';

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
  /** Undefined of what is not on disk. */
  readonly name: string | undefined;
  readonly delivery: Delivery;
  readonly outcome: Promise<Delivered>;
  readonly settle: (outcome: Delivered) => void;
  readonly dropped: AbortController;
}

/**
 * Sends what was handed in, again and again until each is answered; what a former process has left goes
 * first. In an ordered queue one goes after the other, so that a completion never overtakes the results it
 * stands on; in another one what never gets through is in nobody's way.
 */
export class DeliveryQueue {
  readonly #options: QueueOptions;
  readonly #folder: Awaited<ReturnType<typeof openDeliveryFolder>>;
  readonly #waiting: Waiting[] = [];
  readonly #stopping = new AbortController();
  /** By run, for as long as nothing of it was answered since: what follows of a run that was given up waits no more. */
  readonly #patience = new Map<string, ProxyPatience>();
  #wake = () => {};
  #idle: Promise<void> = Promise.resolve();
  #sending: Promise<unknown> = Promise.resolve();

  static async open(options: QueueOptions): Promise<DeliveryQueue> {
    return new DeliveryQueue(options, await openDeliveryFolder(options.folder));
  }

  private constructor(
    options: QueueOptions,
    folder: Awaited<ReturnType<typeof openDeliveryFolder>>,
  ) {
    this.#options = options;
    this.#folder = folder;
    if (folder.kept.length > 0) {
      options.log.info('sending what an earlier process has left', { count: folder.kept.length });
    }
    for (const name of folder.unreadable) options.log.error('set aside, not readable', { name });
    for (const { name, delivery } of folder.kept) void this.#wait(name, delivery);
    if (this.#isOrdered) this.#sending = this.#sendAll();
  }

  get #isOrdered(): boolean {
    return this.#options.isOrdered ?? true;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Of which something is to be sent. */
  get evalRunIds(): readonly string[] {
    return [...new Set(this.#waiting.map(({ delivery }) => delivery.evalRunId))];
  }

  /** Whether something of this run is to be sent. */
  isWaiting(evalRunId: string): boolean {
    return this.#waiting.some(({ delivery }) => delivery.evalRunId === evalRunId);
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
    return { outcome: this.#wait(name, delivery) };
  }

  /** The same for what the disk does not take: it is sent for as long as this process lives. */
  putUnkept(delivery: Delivery): { readonly outcome: Promise<Delivered> } {
    return { outcome: this.#wait(undefined, delivery) };
  }

  /**
   * Of a run that is over nothing is taken any more, whatever the answers were until now. What never gets through, as
   * where something on the way cuts the line, would otherwise be in the way of all runs after it.
   */
  async drop(evalRunId: string): Promise<void> {
    const isOf = ({ delivery }: Waiting) => delivery.evalRunId === evalRunId;
    for (const one of this.#waiting.filter(isOf)) {
      one.dropped.abort();
      await this.#settle(one, { kind: 'refused', reason: 'its run is over' });
    }
  }

  #wait(name: string | undefined, delivery: Delivery): Promise<Delivered> {
    const { promise: outcome, resolve: settle } = Promise.withResolvers<Delivered>();
    const one = { name, delivery, outcome, settle, dropped: new AbortController() };
    this.#waiting.push(one);
    if (this.#isOrdered) this.#wake();
    else this.#sending = Promise.all([this.#sending, this.#send(one)]);
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
      else await this.#send(first);
    }
  }

  async #send(one: Waiting): Promise<void> {
    const { clock, log, onRetry, send } = this.#options;
    const { delivery, dropped } = one;
    const signal = AbortSignal.any([this.#stopping.signal, dropped.signal]);
    const patience = this.#patience.get(delivery.evalRunId) ?? new ProxyPatience(clock);
    this.#patience.set(delivery.evalRunId, patience);
    for (let attempts = 0; !signal.aborted; attempts++) {
      const attempt = patience.meaningOf(await send(delivery, signal));
      if (dropped.signal.aborted) break;
      if (attempt.kind !== 'later') return await this.#settle(one, attempt);
      const { reason, retryAfterSeconds } = attempt;
      onRetry();
      log.warn('not acknowledged, sent again later', { ...about(delivery), reason });
      await clock.sleep(pauseMs(attempts, retryAfterSeconds), signal);
    }
    // Until its file is gone it is still the first.
    if (dropped.signal.aborted) await one.outcome;
  }

  async #settle(one: Waiting, outcome: Delivered): Promise<void> {
    const { log } = this.#options;
    const { name, delivery, settle } = one;
    // Only now: who dies between the answer and this sends it once more, which changes nothing.
    if (name !== undefined)
      await this.#folder.remove(name).catch((error: unknown) => {
        log.error('its file stays, and is sent once more by the next process', { name, error });
      });
    const at = this.#waiting.indexOf(one);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    if (outcome.kind !== 'refused' || !this.isWaiting(delivery.evalRunId))
      this.#patience.delete(delivery.evalRunId);
    if (outcome.kind === 'refused')
      log.warn('refused for good', { ...about(delivery), reason: outcome.reason });
    settle(outcome);
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
