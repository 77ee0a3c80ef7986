import { encodeHex } from '../../crypto/hex.ts';
import {
  decodeAccountId,
  decodeAccountIds,
  decodeBools,
  decodeU16,
  decodeU64,
  encodeAccountIds,
  encodeBools,
  encodeU16,
  encodeU64,
} from '../scale.ts';
import { storageKeys } from '../storage-keys.ts';
import {
  type RegistrationParams,
  type RegistrationResult,
  uidTakenCode,
} from './registration-method.ts';
import { RpcError } from './rpc-error.ts';

/** Storage as the node answers it: key and SCALE-encoded value in `0x` and lower-case hex. */
export type Storage = Map<string, string>;

export interface SubnetBlock {
  readonly netuid: number;
  readonly blockNumber: number;
}

/** Blocks in an epoch, Bittensor's usual 360. */
const tempoBlocks = 360;
const seatsMax = 65_536;

export function foundSubnet(storage: Storage, netuid: number): void {
  write(storage, storageKeys.tempo(netuid), encodeU16(tempoBlocks));
}

/** Registers or changes one hotkey, keeping the same entries consistent as the chain's pallet. */
export function setRegistration(
  storage: Storage,
  { netuid, blockNumber }: SubnetBlock,
  params: RegistrationParams,
): RegistrationResult {
  const hotkey = Uint8Array.fromHex(params.hotkey);
  const seatBefore = seatOf(storage, netuid, hotkey);
  const uid = params.uid ?? seatBefore ?? freeUid(storage, netuid);
  if (uid !== seatBefore) {
    requireFree(storage, netuid, uid);
    if (seatBefore !== undefined) clearSeat(storage, netuid, seatBefore);
    write(storage, storageKeys.uid(netuid, hotkey), encodeU16(uid));
    write(storage, storageKeys.hotkey(netuid, uid), hotkey);
    write(storage, storageKeys.blockAtRegistration(netuid, uid), encodeU64(BigInt(blockNumber)));
  }
  setPermit(storage, { netuid, uid }, params.role === 'validator');
  const { stake, coldkey } = params;
  if (stake !== undefined) {
    write(storage, storageKeys.stake(hotkey, netuid), encodeU64(BigInt(stake)));
  }
  if (coldkey !== undefined) setOwner(storage, hotkey, Uint8Array.fromHex(coldkey));
  return { uid, role: params.role, ...ownership(storage, netuid, hotkey) };
}

/** False when the hotkey was not registered. Its coldkey stays, as on the chain. */
export function removeRegistration(storage: Storage, netuid: number, hotkeyHex: string): boolean {
  const hotkey = Uint8Array.fromHex(hotkeyHex);
  const uid = seatOf(storage, netuid, hotkey);
  if (uid === undefined) return false;
  clearSeat(storage, netuid, uid);
  storage.delete(storageKeys.uid(netuid, hotkey));
  storage.delete(storageKeys.stake(hotkey, netuid));
  return true;
}

/** The owner of a hotkey, and of both owners what they own. */
function setOwner(storage: Storage, hotkey: Uint8Array, coldkey: Uint8Array): void {
  const before = read(storage, storageKeys.coldkey(hotkey));
  if (before !== undefined) writeOwned(storage, before, ownedBut(storage, before, hotkey));
  write(storage, storageKeys.coldkey(hotkey), coldkey);
  writeOwned(storage, coldkey, [...ownedBut(storage, coldkey, hotkey), hotkey]);
}

function ownedBut(storage: Storage, coldkey: Uint8Array, hotkey: Uint8Array) {
  const owned = read(storage, storageKeys.ownedHotkeys(coldkey));
  const hotkeys = owned === undefined ? [] : decodeAccountIds(owned);
  return hotkeys.filter((each) => !Buffer.from(each).equals(hotkey));
}

function writeOwned(storage: Storage, coldkey: Uint8Array, hotkeys: readonly Uint8Array[]): void {
  const key = storageKeys.ownedHotkeys(coldkey);
  if (hotkeys.length === 0) storage.delete(key);
  else write(storage, key, encodeAccountIds(hotkeys));
}

function ownership(storage: Storage, netuid: number, hotkey: Uint8Array) {
  const stake = read(storage, storageKeys.stake(hotkey, netuid));
  const coldkey = read(storage, storageKeys.coldkey(hotkey));
  return {
    stake: String(stake === undefined ? 0n : decodeU64(stake)),
    coldkey: coldkey === undefined ? null : encodeHex(decodeAccountId(coldkey)),
  };
}

function seatOf(storage: Storage, netuid: number, hotkey: Uint8Array): number | undefined {
  const value = read(storage, storageKeys.uid(netuid, hotkey));
  return value === undefined ? undefined : decodeU16(value);
}

function freeUid(storage: Storage, netuid: number): number {
  for (let uid = 0; uid < seatsMax; uid += 1) {
    if (!storage.has(storageKeys.hotkey(netuid, uid))) return uid;
  }
  throw new RpcError(uidTakenCode, 'every uid of the subnet is taken');
}

function requireFree(storage: Storage, netuid: number, uid: number): void {
  if (storage.has(storageKeys.hotkey(netuid, uid))) {
    throw new RpcError(uidTakenCode, `uid ${uid} belongs to another hotkey`);
  }
}

function clearSeat(storage: Storage, netuid: number, uid: number): void {
  storage.delete(storageKeys.hotkey(netuid, uid));
  storage.delete(storageKeys.blockAtRegistration(netuid, uid));
  setPermit(storage, { netuid, uid }, false);
}

function setPermit(
  storage: Storage,
  seat: { readonly netuid: number; readonly uid: number },
  permit: boolean,
): void {
  const key = storageKeys.validatorPermits(seat.netuid);
  const before = read(storage, key);
  const permits = before === undefined ? [] : [...decodeBools(before)];
  while (permits.length <= seat.uid) permits.push(false);
  permits[seat.uid] = permit;
  write(storage, key, encodeBools(permits));
}

/** Sorted keys after `startKey`, as `state_getKeysPaged` answers them. */
export function pageOfKeys(
  storage: Storage,
  page: { readonly prefix: string; readonly count: number; readonly startKey: string },
): readonly string[] {
  return [...storage.keys()]
    .filter((key) => key.startsWith(page.prefix) && key > page.startKey)
    .sort()
    .slice(0, page.count);
}

function read(storage: Storage, key: string): Uint8Array | undefined {
  const value = storage.get(key);
  return value === undefined ? undefined : Uint8Array.fromHex(value.slice(2));
}

function write(storage: Storage, key: string, value: Uint8Array): void {
  storage.set(key, `0x${encodeHex(value)}`);
}
