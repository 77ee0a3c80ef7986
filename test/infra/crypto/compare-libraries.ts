import { sr25519Verify } from '@polkadot/wasm-crypto';
import type { Claim } from '../../../infra/crypto/claim-room.ts';
import { mayVerify } from '../../../infra/crypto/sr25519-encoding.ts';
import { loadJudge, type Sr25519Judge } from '../../../infra/crypto/sr25519-judge.ts';
import { Dice } from '../../fuzz/dice.ts';
import { mutatedClaims } from './mutated-claims.ts';

export interface Comparison {
  readonly claims: number;
  readonly good: number;
  /** How often the quick library died: never of ours, but of the one that takes any key for proved. */
  readonly traps: number;
  readonly trapsOfTrusting: number;
  readonly differences: readonly string[];
}

/** Whoever shows the quick library every key: what the strict one must save us from, and does. */
const anyKey = { get: () => true as const, set: () => undefined, delete: () => undefined };
/** A trap costs a new instance of the library. */
const trustingShare = 0.1;

/**
 * Our verdict on so many mutated claims beside that of wasm-crypto alone, which must be the same, but
 * for the all-zero key, for which wasm-crypto takes any signature.
 */
export async function compareLibraries(seed: number, count: number): Promise<Comparison> {
  const dice = new Dice(seed);
  const [judge, trusting] = await Promise.all([loadJudge(), loadJudge(anyKey)]);
  const differences: string[] = [];
  let good = 0;
  for (const { way, ...claim } of mutatedClaims(dice).take(count)) {
    const expected = strictVerdict(claim);
    if (expected) good += 1;
    const asked = dice.chance(trustingShare) ? [judge, trusting] : [judge];
    for (const each of asked) {
      if (ourVerdict(each, claim) !== expected) differences.push(`${way}: ${spelt(claim)}`);
    }
  }
  const { traps } = judge;
  return { claims: count, good, traps, trapsOfTrusting: trusting.traps, differences };
}

function ourVerdict(judge: Sr25519Judge, claim: Claim): boolean {
  return mayVerify(claim.signature, claim.publicKey) && judge.isGood(claim);
}

function strictVerdict({ signature, message, publicKey }: Claim): boolean {
  return publicKey.some((byte) => byte !== 0) && sr25519Verify(signature, message, publicKey);
}

function spelt({ signature, message, publicKey }: Claim): string {
  return `signature ${signature.toHex()} key ${publicKey.toHex()} message ${message.toHex()}`;
}
