import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { Prng } from '../kernel/prng.ts';

export type Role = 'miner' | 'operator' | 'validator';

export interface Ownership {
  readonly coldkey: string | null;
  readonly ownedHotkeys: readonly string[];
}

/**
 * Whose hotkey it is, as the chain has it. The first validator has the first miner's coldkey, and of it nothing else is
 * known; the second one's coldkey owns the second miner, which had another when it submitted. So each of the two ways
 * in which work may be a validator's own is needed. The others are nobody's but their own.
 */
export function ownershipOf(role: Role, number: number): Ownership {
  if (role === 'operator') return { coldkey: null, ownedHotkeys: [] };
  if (role === 'miner') return { coldkey: coldkeyOf(`miner ${number}`), ownedHotkeys: [] };
  const owner = number === 1 ? 'miner 1' : `validator ${number}`;
  const ownedHotkeys = number === 2 ? [hotkeyOf('miner', 2)] : [];
  return { coldkey: coldkeyOf(owner), ownedHotkeys };
}

/** The miner whose work this validator may never be given, by hotkey. */
export const ownMiners: ReadonlyMap<string, string> = new Map(
  [1, 2].map((number) => [hotkeyOf('validator', number), hotkeyOf('miner', number)]),
);

export function publicKeyOf(role: Role, number: number): Buffer {
  return new Prng(number, role).bytes(32);
}

function hotkeyOf(role: Role, number: number): string {
  return encodeHotkey(publicKeyOf(role, number));
}

function coldkeyOf(owner: string): string {
  return encodeHotkey(new Prng(1, `coldkey of ${owner}`).bytes(32));
}
