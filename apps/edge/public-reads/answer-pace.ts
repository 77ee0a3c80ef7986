import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long an answer may fall behind before it counts as a drip, as with bodies. */
const graceMs = 10_000;

/** Longer than any answer takes to be made, but for streams: what waits behind one of these is not waited for. */
const turnMs = 60_000;

interface Watched {
  readonly socket: Socket;
  readonly askedMs: number;
  /** From when on it may be sent, and what the connection had carried until then. */
  sinceMs: number;
  bytes: number;
}

/**
 * Ends connections over which an answer drips: it is held until it is read, and a byte now and then keeps every idle
 * time-out quiet. All that was taken since the beginning counts, so who was quick may rest. Of a stretch of ten
 * seconds alone nothing can be said: the kernel takes megabytes at once, and more when a third of them is free.
 */
export class AnswerPace {
  readonly #bytesPerSecondMin: number;
  readonly #onDrip: () => void;
  readonly #underWay = new Map<ServerResponse, Watched>();

  constructor(bytesPerSecondMin: number, onDrip: () => void) {
    this.#bytesPerSecondMin = bytesPerSecondMin;
    this.#onDrip = onDrip;
  }

  watch(response: ServerResponse, nowMs: number): void {
    const { socket } = response.req;
    const bytes = socket.bytesWritten;
    this.#underWay.set(response, { socket, askedMs: nowMs, sinceMs: nowMs, bytes });
    response.once('close', () => this.#underWay.delete(response));
  }

  /** To be called about once a second: cheaper than a timer for each answer. */
  endDrips(nowMs: number): void {
    for (const [response, watched] of this.#underWay) {
      const { socket } = watched;
      if (socket.destroyed || !this.#isBehind(response, watched, nowMs)) continue;
      socket.destroy();
      this.#onDrip();
    }
  }

  #isBehind(response: ServerResponse, watched: Watched, nowMs: number): boolean {
    const { socket } = watched;
    if (response.socket === null) {
      // Another one is under way on its connection, and nobody can take this one.
      watched.sinceMs = nowMs;
      watched.bytes = socket.bytesWritten;
      return nowMs - watched.askedMs > turnMs;
    }
    const owed = ((nowMs - watched.sinceMs - graceMs) / 1000) * this.#bytesPerSecondMin;
    return socket.bytesWritten - watched.bytes < owed;
  }
}
