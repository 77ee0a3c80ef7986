import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';

const keyBytes = 32;
const checksumBytes = 2;
const prefix = 42;

/** A wallet's address of any network as the service spells keys; undefined for what is no such address. */
export function hotkeyOf(address: string): string | undefined {
  const bytes = decoded(address);
  if (bytes === undefined) return undefined;
  // Networks above 63 take two bytes to say which they are.
  const prefixBytes = ((bytes[0] ?? 0) & 0b0100_0000) === 0 ? 1 : 2;
  if (bytes.length !== prefixBytes + keyBytes + checksumBytes) return undefined;
  const body = bytes.slice(0, -checksumBytes);
  const isSound = checksumOf(body).every((byte, at) => byte === bytes[body.length + at]);
  if (!isSound) return undefined;
  const own = Uint8Array.of(prefix, ...body.slice(prefixBytes));
  return base58.encode(Uint8Array.of(...own, ...checksumOf(own)));
}

function decoded(address: string): Uint8Array | undefined {
  try {
    return base58.decode(address);
  } catch {
    return undefined;
  }
}

function checksumOf(body: Uint8Array): Uint8Array {
  const start = new TextEncoder().encode('SS58PRE');
  return blake2b(Uint8Array.of(...start, ...body), { dkLen: 64 }).slice(0, checksumBytes);
}
