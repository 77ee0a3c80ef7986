import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long an answer may fall behind before it counts as a drip, as with bodies. */
const graceMs = 10_000;

interface Watched {
  readonly socket: Socket;
  readonly sinceMs: number;
  readonly bytes: number;
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

  /** What is sent over the connection counts, so one that waits behind another falls behind no sooner than that. */
  watch(response: ServerResponse, nowMs: number): void {
    const { socket } = response.req;
    this.#underWay.set(response, { socket, sinceMs: nowMs, bytes: socket.bytesWritten });
    response.once('close', () => this.#underWay.delete(response));
  }

  /** To be called about once a second: cheaper than a timer for each answer. */
  endDrips(nowMs: number): void {
    for (const { socket, sinceMs, bytes } of this.#underWay.values()) {
      const owed = ((nowMs - sinceMs - graceMs) / 1000) * this.#bytesPerSecondMin;
      if (socket.destroyed || socket.bytesWritten - bytes >= owed) continue;
      socket.destroy();
      this.#onDrip();
    }
  }
}
