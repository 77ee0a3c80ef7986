import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';

/** Half a second of them; who comes later is told so at once, as when too much is in flight. */
const waitingMax = 1024;
/** Of the time that everything else took. */
const share = 1 / 4;
/** So long at a time: what became ready meanwhile waits no longer. */
const turnMsMax = 10;

interface Waiting {
  readonly socket: Pick<Socket, 'destroyed'>;
  readonly begin: () => void;
}

/**
 * Requests of those who proved nothing lately, begun between whatever else is ready.
 *
 * 1. In each turn of the event loop they get a quarter of what everything else took since their last
 *    turn, ten milliseconds at most, and one of them at least: a burst of them holds up others by
 *    little, and they go on however busy others keep us.
 * 2. So many wait; those whose connection has ended are not begun at all.
 */
export class StrangersQueue {
  readonly #waiting: Waiting[] = [];
  readonly #nowMs: () => number;
  /** When their last turn ended, or the first of them came. */
  #endedMs = 0;
  #isDue = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** False when too many wait. */
  add(socket: Pick<Socket, 'destroyed'>, begin: () => void): boolean {
    if (this.#waiting.length >= waitingMax) return false;
    // A turn that another request has begun would lend this one its trace.
    const inContext = AsyncLocalStorage.snapshot();
    this.#waiting.push({ socket, begin: () => inContext(begin) });
    this.#schedule();
    return true;
  }

  /** One turn at a time: also when the last of a turn brings the next with it. */
  #schedule(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    this.#endedMs = this.#nowMs();
    setImmediate(this.#turn);
  }

  readonly #turn = () => {
    const startedMs = this.#nowMs();
    const untilMs = startedMs + Math.min((startedMs - this.#endedMs) * share, turnMsMax);
    try {
      do this.#next()?.begin();
      while (this.#waiting.length > 0 && this.#nowMs() < untilMs);
    } finally {
      this.#isDue = false;
      this.#schedule();
    }
  };

  #next(): Waiting | undefined {
    for (;;) {
      const first = this.#waiting.shift();
      if (first === undefined || !first.socket.destroyed) return first;
    }
  }
}
