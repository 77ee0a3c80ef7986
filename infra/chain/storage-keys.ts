import { blake2b } from '@noble/hashes/blake2';
import { encodeHex } from '../crypto/hex.ts';
import { encodeU16 } from './scale.ts';

/**
 * Where Subtensor keeps what we read: twox128(pallet) ++ twox128(item) ++ hashed keys. The hashers
 * are those of `pallets/subtensor/src/lib.rs` in opentensor/subtensor as of June 2026: Identity for
 * netuid and uid (u16), Blake2_128Concat for account ids. Each answer is `0x` and lower-case hex.
 *
 * Stake is `TotalHotkeyAlpha`: what all owners together have staked to the hotkey on this subnet,
 * in the smallest unit (a billionth), as one u64 at one key. `TotalHotkeyStake`, one number for all
 * subnets, is gone from the chain since each subnet has its own token. The weighted stake that the
 * chain grants permits by (root stake, parents and children included) is computed and stored
 * nowhere by hotkey; it has done its work when the permit bit is read.
 */
export const storageKeys = {
  /** (netuid, hotkey) -> u16; absent unless registered. */
  uid: (netuid: number, hotkey: Uint8Array) => key('Uids', encodeU16(netuid), blake2Concat(hotkey)),
  /** (netuid, uid) -> account id of the hotkey. */
  hotkey: (netuid: number, uid: number) => key('Keys', encodeU16(netuid), encodeU16(uid)),
  /** netuid -> one bool per uid. */
  validatorPermits: (netuid: number) => key('ValidatorPermit', encodeU16(netuid)),
  /** (netuid, uid) -> u64. */
  blockAtRegistration: (netuid: number, uid: number) =>
    key('BlockAtRegistration', encodeU16(netuid), encodeU16(uid)),
  /** netuid -> u16: blocks in an epoch. */
  tempo: (netuid: number) => key('Tempo', encodeU16(netuid)),
  /** hotkey -> account id of the coldkey. */
  coldkey: (hotkey: Uint8Array) => key('Owner', blake2Concat(hotkey)),
  /** coldkey -> account ids of its hotkeys, of whatever subnet. */
  ownedHotkeys: (coldkey: Uint8Array) => key('OwnedHotkeys', blake2Concat(coldkey)),
  /** (hotkey, netuid) -> u64. */
  stake: (hotkey: Uint8Array, netuid: number) =>
    key('TotalHotkeyAlpha', blake2Concat(hotkey), encodeU16(netuid)),
};

/**
 * twox128 of each name, as Substrate hashes it. Names never change, and the library that hashes them
 * takes 0.2 s of processor time to load.
 */
export const hashedNames = {
  SubtensorModule: '658faa385070e074c85bf6b568cf0555',
  BlockAtRegistration: '5306000b65aa58c97bf98ad9f8619049',
  Keys: '9f99a2ce711f3a31b2fc05604c93f179',
  OwnedHotkeys: '882f0d11afa27a40918e90f095800125',
  Owner: 'eca6b7a1fdc9f689184ecb4f359c0518',
  Tempo: '7641384bb339f3758acddfd7053d3317',
  TotalHotkeyAlpha: 'ee25c3b5b1886863480497907f1829e6',
  Uids: 'aab1b4e78e1ea8305462ee53b3686dc8',
  ValidatorPermit: '56af5b07ace59da2c9d7f0d48bc93143',
} as const;

function key(item: keyof typeof hashedNames, ...hashedKeys: readonly Uint8Array[]): string {
  const keys = hashedKeys.map(encodeHex).join('');
  return `0x${hashedNames.SubtensorModule}${hashedNames[item]}${keys}`;
}

function blake2Concat(accountId: Uint8Array): Uint8Array {
  return Buffer.concat([blake2b(accountId, { dkLen: 16 }), accountId]);
}
