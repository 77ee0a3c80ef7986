import type { Clock } from '../../../infra/ports/clock.ts';
import { readOnly } from '../read-only.ts';
import { invalidField } from '../validation.ts';
import { heartbeatText, openingText } from './event-frames.ts';
import type { FeedTail } from './feed-tail.ts';
import type { StreamSlots } from './stream-slots.ts';

export interface PublicFeedDeps {
  readonly tail: FeedTail;
  readonly slots: StreamSlots;
  readonly clock: Clock;
  /** The database lacks what was acknowledged, and the end of its feed says nothing. */
  readonly isReadOnly: () => boolean;
  /** Between two heartbeats while nothing happens; 15 s unless told. */
  readonly heartbeatMs?: number;
}

/** Where a listener begins. */
export interface FeedStart {
  /** Everything up to here was seen; undefined: whatever happens from now on. */
  readonly cursor: number | undefined;
  /** Which part of the request says so. */
  readonly loc: readonly string[];
  readonly address: string;
}

/** Who listens, as far as its connection goes. */
export interface FeedListener {
  readonly gone: AbortSignal;
  /** Calls back when the connection is closed, also where that was before. */
  onClose(close: () => void): void;
}

const usualHeartbeatMs = 15_000;

/** The public feed as a stream of server-sent events. */
export class PublicFeed {
  readonly #deps: PublicFeedDeps;

  constructor(deps: PublicFeedDeps) {
    this.#deps = deps;
  }

  /**
   * @throws VALIDATION_FAILED for a cursor that was never given out: waiting there would hide that
   *   events were missed
   * @throws READ_ONLY for one that may have been given out, since the database went back in time
   */
  async open(start: FeedStart, listener: FeedListener): Promise<AsyncIterable<string>> {
    const { tail, slots, isReadOnly } = this.#deps;
    const leave = slots.take(start.address);
    try {
      const newest = await tail.newest();
      const cursor = start.cursor ?? newest;
      if (cursor > newest) {
        if (isReadOnly()) throw readOnly();
        throw invalidField(start.loc, `is beyond the newest event, ${newest}`);
      }
      const unlisten = tail.listen(newest);
      let isOpen = true;
      const close = () => {
        if (isOpen) unlisten();
        isOpen = false;
        leave();
      };
      // Of a stream that is never begun only the connection tells the end.
      listener.onClose(close);
      return this.#frames(cursor, listener.gone, close);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async *#frames(start: number, gone: AbortSignal, close: () => void): AsyncGenerator<string> {
    const { tail, clock, heartbeatMs = usualHeartbeatMs } = this.#deps;
    let cursor = start;
    let saidAtMs = clock.monotonicMs();
    try {
      yield openingText(start);
      while (!tail.isStopped && !gone.aborted) {
        const frames = await tail.after(cursor);
        const quietMs = clock.monotonicMs() - saidAtMs;
        if (frames.length > 0) {
          cursor = frames.at(-1)?.cursor ?? cursor;
          yield frames.map(({ text }) => text).join('');
        } else if (quietMs >= heartbeatMs) {
          yield heartbeatText;
        } else {
          await tail.news(cursor, heartbeatMs - quietMs, gone);
          continue;
        }
        saidAtMs = clock.monotonicMs();
      }
    } finally {
      close();
    }
  }
}
