import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { RecentMap } from '../cache/recent-map.ts';

const keyBytes = 32;
const checksumBytes = 2;
/** The generic Substrate prefix, which Bittensor uses. */
const prefix = 42;

/** 35 bytes that begin with 42 are always 48 base58 digits of which the first is a 5. */
const spelling = /^5[1-9A-HJ-NP-Za-km-z]{47}$/;

/**
 * To hex, half of what arrays of their own would take: 15 MB when full. Failures are not kept, so
 * garbage evicts nobody.
 */
const decodedKeys = new RecentMap<string, string>(65_536);

/**
 * The 32-byte key of an SS58 address with prefix 42 in its one canonical spelling; undefined for
 * every other text, and never an exception.
 */
export function decodeHotkey(text: string): Uint8Array | undefined {
  if (!spelling.test(text)) return undefined;
  const known = decodedKeys.get(text);
  if (known !== undefined) return Uint8Array.fromHex(known);
  const decoded = base58.decode(text);
  if (decoded.length !== 1 + keyBytes + checksumBytes) return undefined;
  const key = decoded.slice(1, 1 + keyBytes);
  // Compares prefix, checksum and spelling at once.
  if (encodeHotkey(key) !== text) return undefined;
  decodedKeys.set(text, key.toHex());
  return key;
}

export function encodeHotkey(key: Uint8Array): string {
  if (key.length !== keyBytes) throw new RangeError(`a hotkey has 32 bytes, not ${key.length}`);
  const body = Buffer.concat([Uint8Array.of(prefix), key]);
  const checksum = createHash('blake2b512').update('SS58PRE').update(body).digest();
  return base58.encode(Buffer.concat([body, checksum.subarray(0, checksumBytes)]));
}
