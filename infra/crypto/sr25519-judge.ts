import { RecentMap } from '../cache/recent-map.ts';
import type { Claim } from './claim-room.ts';
import { loadQuickChecks, type QuickCheck } from './quick-sr25519.ts';
import { loadStrictCheck, type StrictCheck } from './strict-sr25519.ts';

/** Of each of two generations. Full ones take 9 MB, and cost whoever fills them a check a key. */
const provenKeysMax = 65_536;

/** Keys under which the strict library found a good signature: they are points of the curve. */
export type ProvenKeys = Pick<RecentMap<string, true>, 'get' | 'set' | 'delete'>;

/** A judge with both libraries ready. */
export async function loadJudge(provenKeys?: ProvenKeys): Promise<Sr25519Judge> {
  const [newQuickCheck, isGoodStrictly] = await Promise.all([loadQuickChecks(), loadStrictCheck()]);
  return new Sr25519Judge({ newQuickCheck, isGoodStrictly }, provenKeys);
}

/**
 * Two libraries, one verdict. Claims must have passed `mayVerify`.
 *
 * 1. The quick one is shown only keys that the strict one has proved: any other may be no point of
 *    the curve, of which the quick one dies.
 * 2. Should it die all the same, another instance takes its place, the strict one says what is right,
 *    and the key has to be proved again. So each death costs whoever brings it about a slow check.
 * 3. Nothing that the strict one throws is caught: after that its memory cannot be trusted, and the
 *    thread has to end.
 */
export class Sr25519Judge {
  readonly #newQuickCheck: () => QuickCheck;
  readonly #isGoodStrictly: StrictCheck;
  readonly #provenKeys: ProvenKeys;
  #isGoodQuickly: QuickCheck;
  #traps = 0;

  constructor(
    libraries: { readonly newQuickCheck: () => QuickCheck; readonly isGoodStrictly: StrictCheck },
    provenKeys: ProvenKeys = new RecentMap<string, true>(provenKeysMax),
  ) {
    this.#newQuickCheck = libraries.newQuickCheck;
    this.#isGoodStrictly = libraries.isGoodStrictly;
    this.#provenKeys = provenKeys;
    this.#isGoodQuickly = libraries.newQuickCheck();
  }

  /** How often the quick library died. */
  get traps(): number {
    return this.#traps;
  }

  isGood(claim: Claim): boolean {
    const key = keyText(claim.publicKey);
    if (this.#provenKeys.get(key) === undefined) return this.#prove(key, claim);
    try {
      return this.#isGoodQuickly(claim);
    } catch {
      this.#traps += 1;
      this.#isGoodQuickly = this.#newQuickCheck();
      this.#provenKeys.delete(key);
      return this.#prove(key, claim);
    }
  }

  #prove(key: string, claim: Claim): boolean {
    const isGood = this.#isGoodStrictly(claim);
    if (isGood) this.#provenKeys.set(key, true);
    return isGood;
  }
}

/** A byte a character: half of what hex takes. */
function keyText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}
