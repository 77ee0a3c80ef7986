import { type IncomingMessage, request } from 'node:http';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { ListenerRecord } from './records.ts';

export interface FeedClientOptions {
  readonly name: string;
  readonly baseUrls: readonly string[];
  readonly choose: (below: number) => number;
  /** From the beginning of the feed, or from the moment it first gets through. */
  readonly begins: 'at zero' | 'now';
}

/** How a stream is treated; a calm one is read until it ends. */
interface Treatment {
  /** The connection is gone after so many bytes of the body, wherever that is in a line. */
  readonly cutAfterBytes: number;
  readonly isReset: boolean;
  /** Reads nothing for so long once half of it was read. */
  readonly frozenMs: number;
  readonly lifeMs: number;
}

const calm: Treatment = {
  ...{ cutAfterBytes: Number.POSITIVE_INFINITY, isReset: false, frozenMs: 0 },
  lifeMs: Number.POSITIVE_INFINITY,
};

/** A process that is being started again. */
const pauseMs = 50;

/**
 * A client of the public feed on a bad line: it is cut off at any byte, sleeps, and takes up again at
 * whichever edge, by header or by address. It keeps what a client would keep: whole events alone.
 */
export class FeedClient {
  readonly record: ListenerRecord;
  readonly counts = { streams: 0, cuts: 0, freezes: 0, moves: 0, unanswered: 0 };
  readonly #options: FeedClientOptions;
  #lastId: string | undefined;
  #edge = '';
  #goal = Number.POSITIVE_INFINITY;
  #isCalm = false;
  #stream = new AbortController();

  constructor(options: FeedClientOptions) {
    this.#options = options;
    const isFromZero = options.begins === 'at zero';
    this.record = {
      ...{ name: options.name, heard: [], refusals: [] },
      after: isFromZero ? 0 : undefined,
    };
  }

  get cursor(): number {
    return Number(this.#lastId ?? -1);
  }

  /** Follows the feed until it is where `finish` said. */
  async run(): Promise<void> {
    while (this.cursor < this.#goal) {
      this.#stream = new AbortController();
      const treatment = this.#isCalm ? calm : this.#badLuck();
      const timer = setTimeout(() => this.#stream.abort(), Math.min(treatment.lifeMs, 2 ** 31 - 1));
      const hasHeard = await this.#follow(treatment);
      clearTimeout(timer);
      if (!hasHeard) await systemClock.sleep(pauseMs);
    }
  }

  /** From now on nothing is done to it any more, and it ends at that cursor. */
  finish(cursor: number): void {
    this.#isCalm = true;
    this.#goal = cursor;
    this.#stream.abort();
  }

  /** Stops where it is: the trial is over, whatever it has heard. */
  giveUp(): void {
    this.finish(-1);
  }

  #badLuck(): Treatment {
    const { choose } = this.#options;
    return {
      cutAfterBytes: 1 + (choose(4) === 0 ? choose(120) : choose(12_000)),
      isReset: choose(2) === 0,
      frozenMs: choose(6) === 0 ? 50 + choose(1_500) : 0,
      lifeMs: 30 + choose(2_500),
    };
  }

  /** False when nobody answered. */
  async #follow(treatment: Treatment): Promise<boolean> {
    const response = await this.#ask();
    if (response === undefined) {
      this.counts.unanswered += 1;
      return false;
    }
    this.counts.streams += 1;
    // Its own end by our hand is no news.
    response.on('error', () => undefined);
    if (response.statusCode === 200) {
      await this.#read(response, treatment).catch(() => undefined);
      return true;
    }
    const status = response.statusCode ?? 0;
    // Load is shed and owners change; anything else says that a resumable feed is none.
    if (status !== 503) this.record.refusals.push(`${status} after ${this.#lastId ?? 'nothing'}`);
    response.resume();
    return false;
  }

  #ask(): Promise<IncomingMessage | undefined> {
    const { url, headers } = this.#whereTo();
    const { signal } = this.#stream;
    return new Promise((settle) => {
      const asked = request(url, { headers, signal, agent: false });
      asked.once('response', settle);
      asked.on('error', () => settle(undefined));
      asked.end();
    });
  }

  /** By header as a browser does, by address, or both: then the address is the one it began at. */
  #whereTo(): { url: string; headers: Record<string, string> } {
    const { baseUrls, choose } = this.#options;
    const edge = baseUrls[choose(baseUrls.length)] ?? '';
    if (this.#edge !== '' && edge !== this.#edge) this.counts.moves += 1;
    this.#edge = edge;
    const url = new URL('/v1/public/events', edge);
    const { after } = this.record;
    const lastId = this.#lastId ?? after?.toString();
    if (lastId === undefined) return { url: url.href, headers: {} };
    const way = choose(3);
    const query = way === 0 ? lastId : after?.toString();
    if (way < 2) url.searchParams.set('cursor', query ?? lastId);
    return { url: url.href, headers: way === 0 ? {} : { 'last-event-id': lastId } };
  }

  async #read(response: IncomingMessage, treatment: Treatment): Promise<void> {
    let bytes = 0;
    let rest = '';
    let isFrozen = false;
    for await (const chunk of response) {
      const piece = (chunk as Buffer).subarray(0, treatment.cutAfterBytes - bytes);
      bytes += piece.length;
      // Everything that is told is ASCII, so that no letter is ever cut in two.
      const blocks = (rest + piece.toString('latin1')).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
      if (this.cursor >= this.#goal) break;
      if (bytes >= treatment.cutAfterBytes) {
        this.counts.cuts += 1;
        if (treatment.isReset) response.socket.resetAndDestroy();
        break;
      }
      if (!isFrozen && treatment.frozenMs > 0 && bytes > treatment.cutAfterBytes / 2) {
        isFrozen = true;
        this.counts.freezes += 1;
        await systemClock.sleep(treatment.frozenMs, this.#stream.signal);
      }
    }
  }

  #take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      if (name !== '') fields.set(name, value);
    }
    this.#lastId = fields.get('id') ?? this.#lastId;
    this.record.after ??= this.#lastId === undefined ? undefined : Number(this.#lastId);
    const text = fields.get('data');
    const name = fields.get('event') ?? '';
    if (text === undefined || name === 'heartbeat') return;
    this.record.heard.push({ id: this.#lastId ?? '', name, text, atMs: Date.now() });
  }
}
