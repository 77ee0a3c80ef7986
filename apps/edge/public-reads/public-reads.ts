import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { refusal } from '../../../machines/refusal.ts';
import { PreparedAnswer } from '../prepared-answer.ts';
import { LargeAnswers, type LargeAnswersDeps } from './large-answers.ts';
import { Representation } from './representation.ts';
import { SharedLoads } from './shared-loads.ts';

/** Results that are remembered, and how large each may be: 32 MiB, and compressed as much. */
const recentMax = 128;
const recentBytesMax = 128 * 1024;

/** Keys that are known to have been asked for once: some kilobytes each at the most. */
const onceMax = 512;

export interface PublicReadsDeps extends LargeAnswersDeps {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** A load that hangs would hold up its key for ever; it is given up after this. */
  readonly patienceMs: number;
}

/**
 * Public reads, each asked of the database by one request at a time and serialised once for all who
 * wait. Nothing is answered from memory: what is remembered is only how the same bytes look
 * compressed. See infra/decisions/0024-public-reads-shared-in-flight.md.
 */
export class PublicReads {
  /** Of all answers that are on their way to somebody. */
  readonly large: LargeAnswers;
  readonly #loads = new SharedLoads<Representation>();
  readonly #recent = new RecentMap<string, Representation>(recentMax);
  /** In a map of their own, or they would crowd out what is asked for again. */
  readonly #once = new RecentMap<string, true>(onceMax);
  readonly #kept = new WeakMap<Uint8Array, Representation>();
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #patienceMs: number;

  constructor(deps: PublicReadsDeps) {
    this.#clock = deps.clock;
    this.#patienceMs = deps.patienceMs;
    this.large = new LargeAnswers(deps);
  }

  /** @param key everything that the answer depends on, in one spelling */
  read(key: string, load: () => Promise<unknown>): Promise<Representation> {
    return this.#loads.get(key, async () => this.#represented(key, await this.#inTime(load)));
  }

  async #inTime(load: () => Promise<unknown>): Promise<unknown> {
    const loaded = new AbortController();
    const late = this.#clock.sleep(this.#patienceMs, loaded.signal).then(() => {
      if (loaded.signal.aborted) return undefined;
      throw refusal('STORE_UNAVAILABLE', { says: 'The read took too long.' });
    });
    // Of no interest once the race is over.
    late.catch(() => undefined);
    try {
      return await Promise.race([load(), late]);
    } finally {
      // With a reason: without one each abort makes an exception and its stack.
      loaded.abort('loaded');
    }
  }

  #represented(key: string, answer: unknown): Representation {
    if (answer instanceof PreparedAnswer) return this.#prepared(answer);
    return this.#remembered(key, new Representation({ content: JSON.stringify(answer) }));
  }

  /**
   * The one from before, where its content is the same. Only what is asked for again is remembered: who
   * walks through all pages crowds out nothing, and what is made for one leaves no old garbage.
   */
  #remembered(key: string, made: Representation): Representation {
    const before = this.#recent.get(key);
    if (before?.hasContentOf(made) === true) return before;
    const isAgain = before !== undefined || this.#once.has(key);
    if (!isAgain) this.#once.set(key, true);
    else if (made.byteLength <= recentBytesMax) this.#remember(key, made);
    else if (before !== undefined) this.#recent.delete(key);
    return made;
  }

  #remember(key: string, made: Representation): void {
    made.keepForms();
    this.#recent.set(key, made);
  }

  /** Bytes that a handler keeps stay compressed for as long as they are there; what it gives again by its hash is found. */
  #prepared({ body = '', headers, isKept, sha256 }: PreparedAnswer): Representation {
    const known = typeof body === 'string' ? undefined : this.#kept.get(body);
    if (known !== undefined) return known;
    const made = new Representation({ content: body, headers, isKept, sha256 });
    if ((isKept || sha256 !== undefined) && typeof body !== 'string') this.#kept.set(body, made);
    return made;
  }
}
