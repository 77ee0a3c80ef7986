import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { refusal } from '../../../machines/refusal.ts';
import { AnswerPace } from './answer-pace.ts';

/** Smaller ones are bounded by how many connections an address may have. */
const largeBytesMin = 64 * 1024;
const heldBytesMax = 256 * 1024 * 1024;
/** One who reads slowly leaves room for three others of his kind. */
const ofAddressBytesMin = heldBytesMax / 4;

interface Held {
  readonly bytes: number;
  /** Whoever asks for it meanwhile is to find it (`PublicReads`). */
  readonly keeps: object;
  /** How often each address holds it: it takes room of all of them, and once of that of all. */
  readonly holders: Map<string, number>;
}

export interface LargeAnswersDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** Where a request comes from, as limits by address tell it. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Of a document: an address may read one at least. */
  readonly largestBytes: number;
  /** Who takes less is cut off. */
  readonly bytesPerSecondMin: number;
}

const nothing = () => undefined;

/**
 * Bounds what is held for those who read large answers slowly, or not at all, and what is held while such
 * is made smaller: of all, and of each address.
 */
export class LargeAnswers {
  readonly #deps: LargeAnswersDeps;
  readonly #pace: AnswerPace;
  readonly #ofAddressBytesMax: number;
  /** Who reads the same bytes at the same time holds them together. */
  readonly #held = new Map<object, Held>();
  readonly #byAddress = new Map<string, number>();
  #heldBytes = 0;

  constructor(deps: LargeAnswersDeps) {
    this.#deps = deps;
    this.#ofAddressBytesMax = Math.max(ofAddressBytesMin, deps.largestBytes);
    const onDrip = () => deps.telemetry.count('paddock.edge.drips', 1, { what: 'answer' });
    this.#pace = new AnswerPace(deps.bytesPerSecondMin, onDrip);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Counts the body until the response closes, for which it has to be taken at a least pace, and keeps what it is
   * the body of, if that is to be found.
   * @throws OVERLOADED when too much is held already
   */
  hold(response: ServerResponse, body: Uint8Array | string, of?: object): void {
    if (typeof body === 'string' || body.length < largeBytesMin) return;
    response.once(
      'close',
      this.#keep(body, { bytes: body.length, keeps: of ?? body }, response.req),
    );
    this.#pace.watch(response, this.#deps.clock.monotonicMs());
  }

  /** To be called about once a second. */
  endDrips(): void {
    this.#pace.endDrips(this.#deps.clock.monotonicMs());
  }

  /**
   * Counts a body that is to be compressed, and as much again for what that makes of it, until it is: also where
   * nobody waits for it any more. Answers what ends that.
   * @throws OVERLOADED when too much is held already
   */
  compressing(response: ServerResponse, body: Uint8Array | string, what: object): () => void {
    if (typeof body === 'string' || body.length < largeBytesMin) return nothing;
    return this.#keep(what, { bytes: 2 * body.length, keeps: what }, response.req);
  }

  #keep(what: object, of: Pick<Held, 'bytes' | 'keeps'>, request: IncomingMessage): () => void {
    const address = this.#deps.addressOf(request);
    const held = this.#held.get(what);
    const times = held?.holders.get(address) ?? 0;
    if (times === 0) this.#requireRoom(address, of.bytes, held === undefined ? of.bytes : 0);
    const kept = held ?? this.#add(what, of);
    kept.holders.set(address, times + 1);
    return () => this.#release(what, kept, address);
  }

  /** Also of who joins others: what they leave behind would be his alone. */
  #requireRoom(address: string, bytes: number, ofAllBytes: number): void {
    const ofAddress = (this.#byAddress.get(address) ?? 0) + bytes;
    if (this.#heldBytes + ofAllBytes > heldBytesMax || ofAddress > this.#ofAddressBytesMax) {
      this.#deps.telemetry.count('paddock.edge.shed', 1, { lane: 'large-answer' });
      throw refusal('OVERLOADED', { says: 'Too much is being read at once.' });
    }
    this.#byAddress.set(address, ofAddress);
  }

  #add(what: object, of: Pick<Held, 'bytes' | 'keeps'>): Held {
    const held = { ...of, holders: new Map<string, number>() };
    this.#heldBytes += held.bytes;
    this.#held.set(what, held);
    return held;
  }

  #release(what: object, held: Held, address: string): void {
    const times = (held.holders.get(address) ?? 0) - 1;
    if (times > 0) {
      held.holders.set(address, times);
      return;
    }
    held.holders.delete(address);
    this.#giveBack(address, held.bytes);
    if (held.holders.size > 0) return;
    this.#held.delete(what);
    this.#heldBytes -= held.bytes;
  }

  #giveBack(address: string, bytes: number): void {
    const left = (this.#byAddress.get(address) ?? 0) - bytes;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
