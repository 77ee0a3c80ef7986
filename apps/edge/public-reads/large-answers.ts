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
  /** Whose room it takes: of those who hold it still, who came first. */
  address: string;
  /** The addresses of all who hold it, in the order in which they came. */
  readonly holders: string[];
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
    const held = this.#held.get(what) ?? this.#add(what, of, address);
    held.holders.push(address);
    return () => this.#release(what, held, address);
  }

  #add(what: object, { bytes, keeps }: Pick<Held, 'bytes' | 'keeps'>, address: string): Held {
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#heldBytes + bytes > heldBytesMax || ofAddress + bytes > this.#ofAddressBytesMax) {
      this.#deps.telemetry.count('paddock.edge.shed', 1, { lane: 'large-answer' });
      throw refusal('OVERLOADED', { says: 'Too much is being read at once.' });
    }
    this.#heldBytes += bytes;
    this.#charge(address, bytes);
    const held = { bytes, keeps, address, holders: [] };
    this.#held.set(what, held);
    return held;
  }

  #release(what: object, held: Held, address: string): void {
    held.holders.splice(held.holders.indexOf(address), 1);
    if (held.holders.includes(held.address)) return;
    this.#charge(held.address, -held.bytes);
    const [next] = held.holders;
    if (next === undefined) {
      this.#held.delete(what);
      this.#heldBytes -= held.bytes;
      return;
    }
    // Also beyond what an address may hold: it holds this already, and begins nothing else meanwhile.
    held.address = next;
    this.#charge(next, held.bytes);
  }

  #charge(address: string, bytes: number): void {
    const ofAddress = (this.#byAddress.get(address) ?? 0) + bytes;
    if (ofAddress > 0) this.#byAddress.set(address, ofAddress);
    else this.#byAddress.delete(address);
  }
}
