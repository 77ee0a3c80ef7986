import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import { statusByCode } from '../faults.ts';
import { FailureWindow } from './failure-window.ts';
import { RecentlyProved } from './recently-proved.ts';

/** Who says to be whom, and from where. */
export interface Claimant {
  readonly address: string;
  readonly hotkey: string;
}

/** Proofs under way at once: a validator at work has a few, and each beyond waits as a stranger's. */
const familiarAtOnceMax = 16;
/** Of all that may fail, what may come from one address: else one could keep newcomers out everywhere. */
const addressShare = 5;
const addressesMax = 10_000;

/**
 * Keeps forged signatures from the honest. See infra/decisions/0027-sr25519-library.md.
 *
 * 1. Who proved a key from an address a short while ago is familiar: checked before all strangers, and
 *    never turned away here. One failure or a ban ends that, so a forger gains nothing by an honest
 *    beginning; and only so many at once are, so that no key holds up the others by good signatures.
 * 2. Strangers may fail so many times in any second, and a fifth of that from one address. Then they
 *    are turned away unchecked, and so is a newcomer among them; without a flood there is no limit, also
 *    when everybody comes at once.
 * 3. Nothing is counted by hotkey: who forges another's signature takes nothing from that other.
 */
export class ProofTurns {
  readonly #perAddressMax: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #proved: RecentlyProved;
  readonly #everywhere: FailureWindow;
  /** Of strangers. */
  readonly #byAddress = new RecentMap<string, FailureWindow>(addressesMax);
  /** By who is familiar. */
  readonly #familiarUnderWay = new Map<string, number>();

  constructor(failuresPerSecond: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#perAddressMax = Math.ceil(failuresPerSecond / addressShare);
    this.#everywhere = new FailureWindow(failuresPerSecond);
    this.#clock = clock;
    this.#proved = new RecentlyProved(clock);
  }

  /**
   * What `prove` answers, or its error: a 401 is a failure and so is a ban; anything else tells nothing of
   * the caller.
   *
   * @throws OVERLOADED without asking `prove`
   */
  async during<T>(claimant: Claimant, prove: (isFamiliar: boolean) => Promise<T>): Promise<T> {
    const key = keyOf(claimant);
    if (!this.#isFamiliar(key)) return await this.#duringStranger(claimant.address, key, prove);
    this.#count(key, 1);
    try {
      return await this.#prove(key, () => prove(true));
    } finally {
      this.#count(key, -1);
    }
  }

  /** Whether `during` would check the claimant's proof before those of strangers. */
  isFamiliar(claimant: Claimant): boolean {
    return this.#isFamiliar(keyOf(claimant));
  }

  async #duringStranger<T>(
    address: string,
    key: string,
    prove: (isFamiliar: boolean) => Promise<T>,
  ): Promise<T> {
    const here = this.#window(address);
    const nowMs = this.#clock.monotonicMs();
    if (here.isFull(nowMs) || this.#everywhere.isFull(nowMs)) {
      throw refusal('OVERLOADED', { says: 'Too many false signatures come in.' });
    }
    // However many come from one address at once, everywhere they count as its share.
    const share = here.underWay < this.#perAddressMax ? 1 : 0;
    here.underWay += 1;
    this.#everywhere.underWay += share;
    try {
      return await this.#prove(key, () => prove(false));
    } catch (error) {
      if (isFailure(error)) this.#failed(here);
      throw error;
    } finally {
      here.underWay -= 1;
      this.#everywhere.underWay -= share;
    }
  }

  async #prove<T>(key: string, prove: () => Promise<T>): Promise<T> {
    try {
      const proof = await prove();
      this.#proved.add(key);
      return proof;
    } catch (error) {
      // A familiar caller's request that comes twice was proved all the same.
      if (isFailure(error) && error.code !== 'NONCE_REUSED') this.#proved.delete(key);
      throw error;
    }
  }

  #isFamiliar(key: string): boolean {
    return this.#proved.has(key) && (this.#familiarUnderWay.get(key) ?? 0) < familiarAtOnceMax;
  }

  #count(key: string, change: 1 | -1): void {
    const underWay = (this.#familiarUnderWay.get(key) ?? 0) + change;
    if (underWay === 0) this.#familiarUnderWay.delete(key);
    else this.#familiarUnderWay.set(key, underWay);
  }

  #window(address: string): FailureWindow {
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known;
    const fresh = new FailureWindow(this.#perAddressMax);
    this.#byAddress.set(address, fresh);
    return fresh;
  }

  #failed(here: FailureWindow): void {
    const nowMs = this.#clock.monotonicMs();
    if (here.add(nowMs)) this.#everywhere.add(nowMs);
  }
}

function keyOf({ address, hotkey }: Claimant): string {
  return `${address} ${hotkey}`;
}

function isFailure(error: unknown): error is Fault {
  if (!(error instanceof Fault)) return false;
  return statusByCode[error.code] === 401 || error.code === 'BANNED';
}
