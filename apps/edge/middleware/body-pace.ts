import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long a body may fall behind before it counts as a drip: a lost packet is sent again in less. */
const windowMs = 10_000;

interface Watched {
  readonly socket: Socket;
  sinceMs: number;
  bytes: number;
}

/**
 * Ends connections whose body drips. A byte now and then keeps every idle time-out quiet, so a body
 * that is under way must bring so many bytes a second, also one that is not wanted any more. Time in
 * which it is we who do not read does not count.
 */
export class BodyPace {
  readonly #bytesMin: number;
  readonly #onDrip: () => void;
  readonly #underWay = new Map<IncomingMessage, Watched>();

  constructor(bytesPerSecondMin: number, onDrip: () => void) {
    this.#bytesMin = (bytesPerSecondMin * windowMs) / 1000;
    this.#onDrip = onDrip;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  watch(request: IncomingMessage, nowMs: number): void {
    const { socket } = request;
    this.#underWay.set(request, { socket, sinceMs: nowMs, bytes: socket.bytesRead });
  }

  /** To be called about once a second: cheaper than a timer for each body. */
  endDrips(nowMs: number): void {
    for (const [request, watched] of this.#underWay) {
      if (request.complete || request.destroyed) this.#underWay.delete(request);
      else if (isHeldUpByUs(request)) this.#startAnew(watched, nowMs);
      else if (nowMs - watched.sinceMs >= windowMs) this.#judge(request, watched, nowMs);
    }
  }

  #judge(request: IncomingMessage, watched: Watched, nowMs: number): void {
    const arrived = watched.socket.bytesRead - watched.bytes;
    this.#startAnew(watched, nowMs);
    if (arrived >= this.#bytesMin) return;
    this.#underWay.delete(request);
    watched.socket.destroy();
    this.#onDrip();
  }

  #startAnew(watched: Watched, nowMs: number): void {
    watched.sinceMs = nowMs;
    watched.bytes = watched.socket.bytesRead;
  }
}

/** Not begun upon, or full up to its mark: the client may be waiting for us. */
function isHeldUpByUs(request: IncomingMessage): boolean {
  if (request.readableFlowing === null) return true;
  return request.readableLength >= request.readableHighWaterMark;
}
