import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';

/** Half a second of them; who comes later is told so at once, as when too much is in flight. */
const waitingMax = 1024;
/** So long at a time: what became ready meanwhile waits no longer. */
const turnMsMax = 10;

interface Waiting {
  readonly socket: Socket;
  readonly begin: () => void;
}

/**
 * Requests of those who proved nothing lately, begun between whatever else is ready.
 *
 * 1. In each turn of the event loop they get as long as everything else took since their last turn, ten
 *    milliseconds at most, and one of them at least: a burst of them holds up others by little, and they
 *    go on however busy others keep us.
 * 2. So many wait; those whose connection has ended are not begun at all.
 */
export class StrangersQueue {
  readonly #waiting: Waiting[] = [];
  readonly #nowMs: () => number;
  /** When their last turn ended, or the first of them came. */
  #endedMs = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** False when too many wait. */
  add(socket: Socket, begin: () => void): boolean {
    if (this.#waiting.length >= waitingMax) return false;
    // A turn that another request has begun would lend this one its trace.
    const inContext = AsyncLocalStorage.snapshot();
    this.#waiting.push({ socket, begin: () => inContext(begin) });
    if (this.#waiting.length === 1) {
      this.#endedMs = this.#nowMs();
      setImmediate(this.#turn);
    }
    return true;
  }

  readonly #turn = () => {
    const startedMs = this.#nowMs();
    const untilMs = startedMs + Math.min(startedMs - this.#endedMs, turnMsMax);
    try {
      do this.#next()?.begin();
      while (this.#waiting.length > 0 && this.#nowMs() < untilMs);
    } finally {
      this.#endedMs = this.#nowMs();
      if (this.#waiting.length > 0) setImmediate(this.#turn);
    }
  };

  #next(): Waiting | undefined {
    for (;;) {
      const first = this.#waiting.shift();
      if (first === undefined || !first.socket.destroyed) return first;
    }
  }
}
