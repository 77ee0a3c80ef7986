import { publicEventsSignal } from '../../../actors/services/projector/messages.ts';
import type { Signals, Subscription } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { StoredEvent } from '../../../machines/feed/public-event.ts';
import { type Frame, frameOf } from './event-frames.ts';

export interface FeedReads {
  newest(): Promise<number>;
  after(cursor: number, limit: number): Promise<readonly StoredEvent[]>;
}

export interface FeedTailDeps {
  readonly reads: FeedReads;
  readonly signals: Pick<Signals, 'onSignal'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Signals may be lost. */
const lookEveryMs = 1_000;
/** News that come in a row share a look. */
const restMs = 20;
const pageEvents = 500;
/** Whoever is further behind reads from the store. */
const keptEvents = 2_000;
/** Listeners that read what is long past, at once: they must leave connections to others. */
const pagesAtOnce = 2;

/**
 * The end of the feed, read once for all who listen at this edge.
 *
 * 1. What is kept has no gap and ends at the newest that is known.
 * 2. While nobody listens nothing is read and nothing is kept.
 */
export class FeedTail implements Service {
  readonly #deps: FeedTailDeps;
  readonly #waiters = new Set<AbortController>();
  #listeners = 0;
  #newest = 0;
  #kept: Frame[] = [];
  #looking: Promise<void> | undefined;
  #isNewsMissed = false;
  #isStopped = false;
  #signal: Subscription | undefined;
  #stopTicking: (() => void) | undefined;
  /** What is read or waits to be, by the cursor that it follows. */
  readonly #pages = new Map<number, Promise<readonly Frame[]>>();
  #pagesBeingRead = 0;
  readonly #pagesWaiting: (() => void)[] = [];

  constructor(deps: FeedTailDeps) {
    this.#deps = deps;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  async start(): Promise<void> {
    const look = () => this.#look();
    this.#signal = this.#deps.signals.onSignal(publicEventsSignal, () => void look());
    this.#stopTicking = this.#deps.clock.every(lookEveryMs, look);
  }

  /** Ends every stream. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTicking?.();
    this.#wakeAll();
    await this.#signal?.close();
    await this.#looking;
  }

  async newest(): Promise<number> {
    return await this.#deps.reads.newest();
  }

  /** From here on somebody listens, until the returned function is called. */
  listen(newest: number): () => void {
    if (this.#listeners === 0) {
      this.#newest = newest;
      this.#kept = [];
    }
    this.#listeners += 1;
    return () => {
      this.#listeners -= 1;
    };
  }

  /** The next frames, none where all that is known was seen. */
  async after(cursor: number): Promise<readonly Frame[]> {
    if (cursor >= this.#newest) return [];
    const first = this.#kept[0];
    if (first !== undefined && cursor >= first.cursor - 1) {
      const begin = cursor - first.cursor + 1;
      return this.#kept.slice(begin, begin + pageEvents);
    }
    return await this.#page(cursor);
  }

  /** Until there is something after `cursor`, `ms` are over, or the listener or the edge leaves. */
  async news(cursor: number, ms: number, gone: AbortSignal): Promise<void> {
    if (cursor < this.#newest || this.#isStopped || gone.aborted) return;
    const nap = new AbortController();
    const wake = () => nap.abort();
    this.#waiters.add(nap);
    gone.addEventListener('abort', wake, { once: true });
    await this.#deps.clock.sleep(ms, nap.signal);
    gone.removeEventListener('abort', wake);
    this.#waiters.delete(nap);
  }

  /** The past never changes, so those who are at the same place share what is read. */
  async #page(cursor: number): Promise<readonly Frame[]> {
    const shared = this.#pages.get(cursor);
    if (shared !== undefined) return await shared;
    const page = this.#readPage(cursor);
    this.#pages.set(cursor, page);
    try {
      return await page;
    } finally {
      this.#pages.delete(cursor);
    }
  }

  async #readPage(cursor: number): Promise<readonly Frame[]> {
    if (this.#pagesBeingRead < pagesAtOnce) this.#pagesBeingRead += 1;
    else await new Promise<void>((begin) => this.#pagesWaiting.push(begin));
    try {
      return (await this.#deps.reads.after(cursor, pageEvents)).map(frameOf);
    } finally {
      // Whoever waited longest takes the place over.
      const begin = this.#pagesWaiting.shift();
      if (begin === undefined) this.#pagesBeingRead -= 1;
      else begin();
    }
  }

  /** One look at a time; what is said meanwhile is looked at afterwards. */
  #look(): Promise<void> {
    if (this.#looking !== undefined) this.#isNewsMissed = true;
    this.#looking ??= this.#lookAgain().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookAgain(): Promise<void> {
    do {
      this.#isNewsMissed = false;
      if (this.#listeners === 0 || this.#isStopped) return;
      try {
        await this.#readOn();
      } catch (error) {
        this.#deps.log.warn('the feed could not be read; the next look tries again', { error });
      }
      if (this.#isNewsMissed) await this.#deps.clock.sleep(restMs);
    } while (this.#isNewsMissed);
  }

  async #readOn(): Promise<void> {
    for (let isMore = true; isMore && this.#listeners > 0; ) {
      const from = this.#newest;
      const events = await this.#deps.reads.after(from, pageEvents);
      // Who came first after a time without listeners began elsewhere.
      if (this.#newest !== from) continue;
      const last = events.at(-1);
      if (last === undefined) return;
      this.#keep(events);
      this.#newest = last.cursor;
      this.#wakeAll();
      isMore = events.length === pageEvents;
    }
  }

  #keep(events: readonly StoredEvent[]): void {
    for (const event of events) {
      // Cursors jump where the database went back, and what was kept may be of the lost branch.
      if (event.cursor !== (this.#kept.at(-1)?.cursor ?? this.#newest) + 1) this.#kept = [];
      this.#kept.push(frameOf(event));
    }
    this.#kept.splice(0, this.#kept.length - keptEvents);
  }

  #wakeAll(): void {
    for (const waiter of this.#waiters) waiter.abort();
  }
}
