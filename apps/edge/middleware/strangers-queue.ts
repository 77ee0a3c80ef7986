import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';

/** Half a second of them; who comes later is told so at once, as when too much is in flight. */
const waitingMax = 1024;
/** A read that would wait longer is refused, for a reader looks again; of so few none is. */
const readsWaitMsMax = 50;
const readsMin = 64;
/** Of the time that everything else took. */
const share = 1 / 4;
/**
 * So long at a time: what became ready meanwhile waits no longer. Where all else takes 85 of a hundred,
 * refusals among it, a turn of the event loop then lasts 7 ms.
 */
const turnMsMax = 1;
/** More are not begun in a millisecond. */
const placesMax = 32;

/** `proof`: brings a signature or a token that has to be looked at; `read`: nothing of the kind. */
export type StrangersLane = 'proof' | 'read';

interface Waiting {
  readonly socket: Pick<Socket, 'destroyed'>;
  readonly begin: () => void;
  /** A turn that another request has begun would lend this one its trace. */
  readonly scope: AsyncResource;
}

const scopeOptions = { requireManualDestroy: true };

/**
 * Requests of those who proved nothing lately, begun between whatever else is ready.
 *
 * 1. In each turn of the event loop they get a quarter of what everything else took since their last
 *    turn, a millisecond at most, and one of them at least: a burst of them holds up others by
 *    little, and they go on however busy others keep us.
 * 2. Reads and proofs take turns, so that a flood of either leaves the others half of that.
 * 3. So many of each wait. Of reads none is added to a crowd that at its pace takes longer than fifty
 *    milliseconds: the better pace of two turns, for a pause of ours is no crowd. Proofs wait, for
 *    theirs may be heartbeats.
 * 4. Those whose connection has ended are not begun at all.
 */
export class StrangersQueue {
  readonly #lanes: Readonly<Record<StrangersLane, Waiting[]>> = { proof: [], read: [] };
  readonly #nowMs: () => number;
  /** When their last turn ended, or the first of them came. */
  #endedMs = 0;
  /** What one read took of the last turn and of the one before, where others were left. */
  #msEach: readonly [number, number] = [0, 0];
  #readsBegun = 0;
  /** That are still to come in the turn that has begun, and those of the one after it. */
  #placesLeft = 0;
  #placesAhead = 0;
  #untilMs = 0;
  #last: StrangersLane = 'read';

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether `add` would answer false. */
  isFull(lane: StrangersLane): boolean {
    const waiting = this.#lanes[lane];
    if (waiting.length >= waitingMax) return true;
    if (lane === 'proof' || waiting.length < readsMin) return false;
    return waiting.length * Math.min(...this.#msEach) >= readsWaitMsMax;
  }

  /** False when too many wait, or one waits for too long. */
  add(lane: StrangersLane, socket: Pick<Socket, 'destroyed'>, begin: () => void): boolean {
    if (this.isFull(lane)) return false;
    const scope = new AsyncResource('waiting stranger', scopeOptions);
    this.#lanes[lane].push({ socket, begin, scope });
    this.#schedule();
    return true;
  }

  get #waiting(): number {
    return this.#lanes.proof.length + this.#lanes.read.length;
  }

  /** In a turn that is under way too: what is begun there may bring the next with it. */
  #schedule(): void {
    if (this.#placesAhead === 0 && this.#placesLeft === 0) this.#endedMs = this.#nowMs();
    const places = Math.min(this.#waiting, placesMax);
    for (; this.#placesAhead < places; this.#placesAhead += 1) setImmediate(this.#place);
  }

  /** Each on its own, for only then is all that it does at once done before the next looks at the time. */
  readonly #place = () => {
    const isFirst = this.#placesLeft === 0;
    if (isFirst) this.#beginTurn();
    this.#placesLeft -= 1;
    try {
      const next = isFirst || this.#nowMs() < this.#untilMs ? this.#next() : undefined;
      if (next !== undefined) next.scope.runInAsyncScope(next.begin);
    } finally {
      if (this.#placesLeft === 0) this.#endTurn();
    }
  };

  #beginTurn(): void {
    const startedMs = this.#nowMs();
    this.#untilMs = startedMs + Math.min((startedMs - this.#endedMs) * share, turnMsMax);
    this.#placesLeft = this.#placesAhead;
    this.#placesAhead = 0;
  }

  #endTurn(): void {
    const tookMs = this.#nowMs() - this.#endedMs;
    const msEach = this.#lanes.read.length === 0 ? 0 : tookMs / Math.max(1, this.#readsBegun);
    this.#msEach = [msEach, this.#msEach[0]];
    this.#readsBegun = 0;
    this.#endedMs += tookMs;
    this.#schedule();
  }

  #next(): Waiting | undefined {
    for (;;) {
      const first = this.#shift();
      if (first === undefined || !first.socket.destroyed) return first;
    }
  }

  #shift(): Waiting | undefined {
    const other = this.#last === 'read' ? 'proof' : 'read';
    const lane = this.#lanes[other].length > 0 ? other : this.#last;
    this.#last = lane;
    if (lane === 'read') this.#readsBegun += 1;
    return this.#lanes[lane].shift();
  }
}
