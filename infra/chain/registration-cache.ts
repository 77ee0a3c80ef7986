import { RecentMap } from '../cache/recent-map.ts';
import { type Chain, ChainUnavailable, type Registration } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';

export interface RegistrationCacheOptions {
  readonly chain: Chain;
  readonly clock: Clock;
  /** How long an answer is as good as the chain's own. */
  readonly ttlMs: number;
  /** How long it serves beyond that while the chain cannot be asked. */
  readonly graceMs: number;
  /**
   * How long a "no" holds. Short, because a hotkey that registers at this moment must not be turned
   * away for as long as a "yes" lasts.
   */
  readonly absentMs?: number;
  /** Pause after a failed question, so that a dead node costs one time-out and not one per request. */
  readonly pauseMs?: number;
  /** In the chain's smallest unit. */
  readonly validatorStakeMin: bigint;
  /** Registered hotkeys kept; as many absent ones are kept beside them. */
  readonly max: number;
  /** Questions at a time: fresh keys cost a caller nothing, and must not cost the node too much. */
  readonly askingMax?: number;
}

export interface SubnetRole {
  readonly role: 'miner' | 'validator';
  readonly uid: number;
  readonly stake: bigint;
  /** 32 bytes in lower-case hex. */
  readonly coldkey: string | null;
  /** The hotkeys of its coldkey, where it has a permit; null where there are too many. */
  readonly ownedHotkeys: readonly string[] | null;
}

/** Keys are 32-byte public keys in lower-case hex. */
export interface RegistrationCache {
  /** @throws ChainUnavailable when the chain cannot be asked and nothing usable is known. */
  roleOf(hotkeyHex: string): Promise<SubnetRole | 'unregistered'>;
  /** What is known without asking anybody. */
  peek(hotkeyHex: string): 'registered' | 'unregistered' | 'unknown';
  /** The next question goes to the chain; an answer that is under way is not kept. */
  forget(hotkeyHex: string): void;
  /**
   * While nobody is known, finds out whether the chain answers: an edge that is asked nothing would not
   * notice that it can let nobody in, nor that it can again. Never rejects for the chain's sake.
   */
  look(): Promise<void>;
  /**
   * The chain did not answer when asked last, and for somebody who goes on asking grace may be over: nobody was
   * seen within it. Whose turn it is first is one who was asked for a `ttlMs` before the one seen last.
   */
  readonly isBlind: boolean;
  /** Later than that: grace is over for everybody, so that nobody at all can be let in. */
  readonly knowsNobody: boolean;
}

/** Nobody can prove this one: the zero account of Substrate. */
const nobody = '00'.repeat(32);

export function createRegistrationCache(options: RegistrationCacheOptions): RegistrationCache {
  return new CachedRegistrations(options);
}

interface Seen {
  readonly role: SubnetRole;
  /** When the question was put, on the monotonic clock: the answer may be as old as that. */
  readonly askedAtMs: number;
}

/**
 * 1. A deregistration is noticed at most `ttlMs` after it was visible, as long as the chain answers.
 * 2. Grace is for keys seen registered, and only while the chain cannot be asked. "No" has none.
 * 3. Absent keys are kept apart: a flood of fresh ones evicts nobody who is registered.
 */
class CachedRegistrations implements RegistrationCache {
  readonly #options: Required<RegistrationCacheOptions>;
  readonly #registered: RecentMap<string, Seen>;
  readonly #absentUntilMs: RecentMap<string, number>;
  readonly #asking = new Map<string, Promise<SubnetRole | 'unregistered'>>();
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** As of the last question. */
  #answers = false;
  /** When the newest of the registered was asked for. */
  #seenMs = Number.NEGATIVE_INFINITY;

  constructor(options: RegistrationCacheOptions) {
    this.#options = { absentMs: 10_000, pauseMs: 1000, askingMax: 64, ...options };
    this.#registered = new RecentMap(options.max);
    this.#absentUntilMs = new RecentMap(options.max);
  }

  async roleOf(hotkeyHex: string): Promise<SubnetRole | 'unregistered'> {
    const fresh = this.#known(hotkeyHex, this.#options.ttlMs);
    if (fresh !== undefined) return fresh;
    try {
      return await this.#ask(hotkeyHex);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      const { ttlMs, graceMs } = this.#options;
      const seen = this.#known(hotkeyHex, ttlMs + graceMs);
      if (seen === undefined) throw error;
      return seen;
    }
  }

  peek(hotkeyHex: string): 'registered' | 'unregistered' | 'unknown' {
    const known = this.#known(hotkeyHex, this.#options.ttlMs);
    if (known === undefined) return 'unknown';
    return known === 'unregistered' ? 'unregistered' : 'registered';
  }

  forget(hotkeyHex: string): void {
    this.#registered.delete(hotkeyHex);
    this.#absentUntilMs.delete(hotkeyHex);
    this.#asking.delete(hotkeyHex);
  }

  async look(): Promise<void> {
    if (this.#sawSomebodyWithin(this.#options.graceMs)) return;
    // What it said before it failed somebody is no news of now.
    if (!this.#answers) this.#absentUntilMs.delete(nobody);
    try {
      await this.roleOf(nobody);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
    }
  }

  get isBlind(): boolean {
    return !this.#answers && !this.#sawSomebodyWithin(this.#options.graceMs);
  }

  get knowsNobody(): boolean {
    const { ttlMs, graceMs } = this.#options;
    return !this.#answers && !this.#sawSomebodyWithin(ttlMs + graceMs);
  }

  #sawSomebodyWithin(ms: number): boolean {
    return this.#options.clock.monotonicMs() - this.#seenMs < ms;
  }

  #known(hotkeyHex: string, ageMsMax: number): SubnetRole | 'unregistered' | undefined {
    const nowMs = this.#options.clock.monotonicMs();
    const seen = this.#registered.get(hotkeyHex);
    if (seen !== undefined && nowMs - seen.askedAtMs < ageMsMax) return seen.role;
    const absentUntilMs = this.#absentUntilMs.get(hotkeyHex);
    return absentUntilMs !== undefined && nowMs < absentUntilMs ? 'unregistered' : undefined;
  }

  /** One question per key at a time, however many wait for the answer. */
  #ask(hotkeyHex: string): Promise<SubnetRole | 'unregistered'> {
    const pending = this.#asking.get(hotkeyHex);
    if (pending !== undefined) return pending;
    if (this.#options.clock.monotonicMs() < this.#pausedUntilMs) {
      return Promise.reject(new ChainUnavailable('the chain did not answer a moment ago'));
    }
    if (this.#asking.size >= this.#options.askingMax) {
      return Promise.reject(new ChainUnavailable('too many questions to the chain at a time'));
    }
    const answer: Promise<SubnetRole | 'unregistered'> = this.#question(hotkeyHex).then(
      ({ role, askedAtMs }) => {
        if (this.#settle(hotkeyHex, answer)) this.#keep(hotkeyHex, role, askedAtMs);
        return role;
      },
      (error: unknown) => {
        this.#settle(hotkeyHex, answer);
        throw error;
      },
    );
    this.#asking.set(hotkeyHex, answer);
    return answer;
  }

  async #question(hotkeyHex: string) {
    const { chain, clock, pauseMs } = this.#options;
    const askedAtMs = clock.monotonicMs();
    try {
      const registration = await chain.registration(hotkeyHex);
      this.#answers = true;
      const role = registration === undefined ? 'unregistered' : this.#roleIn(registration);
      return { role, askedAtMs } as const;
    } catch (error) {
      if (error instanceof ChainUnavailable) {
        this.#answers = false;
        this.#pausedUntilMs = clock.monotonicMs() + pauseMs;
      }
      throw error;
    }
  }

  /** False when it was forgotten meanwhile: then the answer may be older than what made it so. */
  #settle(hotkeyHex: string, answer: Promise<unknown>): boolean {
    const isCurrent = this.#asking.get(hotkeyHex) === answer;
    if (isCurrent) this.#asking.delete(hotkeyHex);
    return isCurrent;
  }

  #keep(hotkeyHex: string, role: SubnetRole | 'unregistered', askedAtMs: number): void {
    if (role === 'unregistered') {
      this.#registered.delete(hotkeyHex);
      this.#absentUntilMs.set(hotkeyHex, askedAtMs + this.#options.absentMs);
    } else {
      this.#absentUntilMs.delete(hotkeyHex);
      this.#registered.set(hotkeyHex, { role, askedAtMs });
      this.#seenMs = Math.max(this.#seenMs, askedAtMs);
    }
  }

  #roleIn({ validatorPermit, stake, ...rest }: Registration): SubnetRole {
    const { uid, coldkey, ownedHotkeys } = rest;
    const isValidator = validatorPermit && stake >= this.#options.validatorStakeMin;
    return { role: isValidator ? 'validator' : 'miner', uid, stake, coldkey, ownedHotkeys };
  }
}
