import { blake2AsU8a } from '@polkadot/util-crypto/blake2';
import { xxhashAsU8a } from '@polkadot/util-crypto/xxhash';
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
  /** (hotkey, netuid) -> u64. */
  stake: (hotkey: Uint8Array, netuid: number) =>
    key('TotalHotkeyAlpha', blake2Concat(hotkey), encodeU16(netuid)),
};

const pallet = twox128('SubtensorModule');

function key(item: string, ...hashedKeys: readonly Uint8Array[]): string {
  return `0x${[pallet, twox128(item), ...hashedKeys].map(encodeHex).join('')}`;
}

export function twox128(text: string): Uint8Array {
  return xxhashAsU8a(text, 128);
}

function blake2Concat(accountId: Uint8Array): Uint8Array {
  return Buffer.concat([blake2AsU8a(accountId, 128), accountId]);
}
