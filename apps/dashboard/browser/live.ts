import type { PublicEvent } from '../../cli/client/schemas.generated.ts';
import { after } from './clock.ts';
import { answerBeginsMs, fetchInTime } from './in-time.ts';

export type { PublicEvent };
export type EventType = PublicEvent['type'];
export type Connection = 'connecting' | 'live' | 'lost';

/** Every type once: the browser hands out only those that somebody asked for by name. */
const types: Readonly<Record<EventType, true>> = {
  'submission-accepted': true,
  'version-eligible': true,
  'run-claimed': true,
  'run-ended': true,
  'race-opened': true,
  'race-closed': true,
  'race-started': true,
  'race-completed': true,
  'race-cancelled': true,
  'top-changed': true,
  'code-released': true,
  'history-restored': true,
};

const feedPath = '/v1/public/events';
const firstPauseMs = 1_000;
const pauseMaxMs = 30_000;
/** Three heartbeats of the service. */
const silenceMaxMs = 45_000;

type Listener = (event: PublicEvent) => void;

/**
 * The public feed, once for all that is shown. The browser itself comes back to where a cut stream
 * ended; where the service refuses, or the page was hidden, it is taken up again after the last event
 * that was seen, so that none is missed. Where that event is unknown, as to a database that is new behind an
 * address, it begins anew. One that never begins, or falls silent, is given up for another; what has had no
 * heartbeat yet may be of an edge that sends none. A hidden page holds no stream: browsers grant six
 * connections to all pages of a host together.
 */
class LiveFeed {
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<(connection: Connection) => void>();
  readonly #gapListeners = new Set<() => void>();
  #connection: Connection = 'connecting';
  #source: EventSource | undefined;
  #cursor: string | undefined;
  #pauseMs = firstPauseMs;
  #cancelRetry: () => void = () => undefined;
  #isBeating = false;
  #cancelPatience: () => void = () => undefined;

  start(): void {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#close();
      else this.#open();
    });
    if (!document.hidden) this.#open();
  }

  get connection(): Connection {
    return this.#connection;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Tells when a stream has begun that follows no event that was seen, or the service went back to an
   * earlier state: what was asked for before may be older, or hold no more, and nothing will say so.
   */
  listenForGaps(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  /** Tells at once what is, and then whatever it becomes. */
  watch(watcher: (connection: Connection) => void): () => void {
    this.#watchers.add(watcher);
    // Effects run after a paint; it may have become something else since it was drawn.
    watcher(this.#connection);
    return () => this.#watchers.delete(watcher);
  }

  #open(): void {
    this.#close();
    // The page may have been hidden since that was true.
    if (this.#connection === 'live') this.#say('connecting');
    const source = new EventSource(this.#address);
    this.#source = source;
    this.#expectWithin(answerBeginsMs);
    // The browser itself comes back to where it was; a stream of ours without a cursor begins anew.
    let mayHaveMissed = this.#cursor === undefined;
    source.onopen = () => {
      this.#pauseMs = firstPauseMs;
      this.#isBeating = false;
      this.#cancelPatience();
      this.#say('live');
      if (mayHaveMissed) this.#tellGap();
      mayHaveMissed = false;
    };
    source.onerror = () => {
      this.#say('lost');
      // Otherwise the browser comes back by itself.
      if (source.readyState === EventSource.CLOSED) void this.#refused();
      else this.#expectWithin(answerBeginsMs);
    };
    source.addEventListener('heartbeat', () => {
      this.#isBeating = true;
      this.#isAlive();
    });
    for (const type of Object.keys(types))
      source.addEventListener(type, (event) => this.#hear(event));
  }

  /**
   * A browser tells nothing of a refusal, so the same is asked where its status can be read: a cursor that was
   * never given out (422) is refused for ever. Asked at once, so that what a service that is back grants for it
   * is given back by the time that the stream is opened again.
   */
  async #refused(): Promise<void> {
    this.#close();
    const given = new AbortController();
    this.#cancelRetry = () => given.abort();
    const isUnknown =
      this.#cursor !== undefined && (await statusOf(this.#address, given.signal)) === 422;
    if (given.signal.aborted) return;
    if (isUnknown) this.#cursor = undefined;
    this.#openLater();
  }

  #expectWithin(ms: number): void {
    this.#cancelPatience();
    this.#cancelPatience = after(ms, () => {
      this.#say('lost');
      this.#close();
      this.#openLater();
    });
  }

  #isAlive(): void {
    if (this.#isBeating) this.#expectWithin(silenceMaxMs);
  }

  #openLater(): void {
    this.#cancelRetry = after(this.#pauseMs, () => this.#open());
    this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMaxMs);
  }

  get #address(): string {
    return this.#cursor === undefined ? feedPath : `${feedPath}?cursor=${this.#cursor}`;
  }

  #close(): void {
    this.#cancelRetry();
    this.#cancelPatience();
    this.#source?.close();
    this.#source = undefined;
  }

  #hear(event: MessageEvent<string>): void {
    this.#isAlive();
    this.#cursor = event.lastEventId;
    const told = JSON.parse(event.data) as PublicEvent;
    for (const listener of this.#listeners) listener(told);
    if (told.type === 'history-restored') this.#tellGap();
  }

  #tellGap(): void {
    for (const listener of this.#gapListeners) listener();
  }

  #say(connection: Connection): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    for (const watcher of this.#watchers) watcher(connection);
  }
}

/** Undefined where nobody answers. */
async function statusOf(path: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const { status, body } = await fetchInTime(path, { signal });
    // A stream would hold a connection.
    await body?.cancel();
    return status;
  } catch {
    return undefined;
  }
}

export const liveFeed = new LiveFeed();
