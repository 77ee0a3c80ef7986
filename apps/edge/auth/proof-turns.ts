import { RecentMap } from '../../../infra/cache/recent-map.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { Fault } from '../../../machines/fault.ts';
import { statusByCode } from '../faults.ts';

/** Who says to be whom, and from where. */
export interface Claimant {
  readonly address: string;
  readonly hotkey: string;
}

const familiarMs = 600_000;
/** Several subnets' worth, each key from a few addresses. */
const familiarMax = 50_000;
/** Proofs under way at once: a validator at work has a few, and each beyond waits as a stranger's. */
const familiarAtOnceMax = 16;
const windowMs = 1000;

/**
 * Keeps forged signatures from the honest. See infra/decisions/0027-sr25519-library.md.
 *
 * 1. Who proved a key from an address a short while ago is familiar: checked before all strangers, and
 *    never turned away here. One failure or a ban ends that, so a forger gains nothing by an honest
 *    beginning; and only so many at once are, so that no key holds up the others by good signatures.
 * 2. Strangers may fail so many times in any second. Then they are turned away unchecked, and so is a
 *    newcomer among them; without a flood there is no limit, also when everybody comes at once.
 * 3. Nothing is counted by hotkey: who forges another's signature takes nothing from that other.
 */
export class ProofTurns {
  readonly #failuresMax: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #provedMs = new RecentMap<string, number>(familiarMax);
  /** When strangers failed, oldest first; at most as long as the limit. */
  readonly #failuresMs: number[] = [];
  #strangersUnderWay = 0;
  /** By who is familiar. */
  readonly #familiarUnderWay = new Map<string, number>();

  constructor(failuresPerSecond: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#failuresMax = failuresPerSecond;
    this.#clock = clock;
  }

  /**
   * What `prove` answers, or its error: a 401 is a failure and so is a ban; anything else tells nothing of
   * the caller.
   *
   * @throws OVERLOADED without asking `prove`
   */
  async during<T>(claimant: Claimant, prove: (isFamiliar: boolean) => Promise<T>): Promise<T> {
    const key = `${claimant.address} ${claimant.hotkey}`;
    const isFamiliar = this.#isFamiliar(key);
    if (!isFamiliar) this.#requireTurn();
    this.#count(key, isFamiliar, 1);
    try {
      const proof = await prove(isFamiliar);
      this.#provedMs.set(key, this.#clock.monotonicMs());
      return proof;
    } catch (error) {
      if (isFailure(error)) this.#fail(key, isFamiliar, error);
      throw error;
    } finally {
      this.#count(key, isFamiliar, -1);
    }
  }

  #isFamiliar(key: string): boolean {
    const provedMs = this.#provedMs.get(key) ?? Number.NEGATIVE_INFINITY;
    if (this.#clock.monotonicMs() - provedMs >= familiarMs) return false;
    return (this.#familiarUnderWay.get(key) ?? 0) < familiarAtOnceMax;
  }

  #count(key: string, isFamiliar: boolean, change: 1 | -1): void {
    if (!isFamiliar) {
      this.#strangersUnderWay += change;
      return;
    }
    const underWay = (this.#familiarUnderWay.get(key) ?? 0) + change;
    if (underWay === 0) this.#familiarUnderWay.delete(key);
    else this.#familiarUnderWay.set(key, underWay);
  }

  #requireTurn(): void {
    const outdatedMs = this.#clock.monotonicMs() - windowMs;
    while ((this.#failuresMs[0] ?? Number.POSITIVE_INFINITY) <= outdatedMs)
      this.#failuresMs.shift();
    const failures = this.#failuresMs.length;
    // Who is under way may be honest: they count only while others fail.
    const isCalm = failures < this.#failuresMax / 10;
    if (isCalm || failures + this.#strangersUnderWay < this.#failuresMax) return;
    throw new Fault('OVERLOADED', 'Too many false signatures come in; try again soon.');
  }

  #fail(key: string, isFamiliar: boolean, fault: Fault): void {
    // A familiar caller's request that comes twice was proved all the same.
    if (fault.code !== 'NONCE_REUSED') this.#provedMs.delete(key);
    if (!isFamiliar) this.#failuresMs.push(this.#clock.monotonicMs());
  }
}

function isFailure(error: unknown): error is Fault {
  if (!(error instanceof Fault)) return false;
  return statusByCode[error.code] === 401 || error.code === 'BANNED';
}
