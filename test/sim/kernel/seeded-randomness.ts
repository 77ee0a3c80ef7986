import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Prng } from './prng.ts';

/**
 * Makes what this whole process calls chance (ids, nonces, jitter) follow from the seed until it is
 * disposed of. The product has no port for it and needs none: everything goes through node:crypto.
 */
export function seededRandomness(random: Prng): Disposable {
  const { randomBytes, randomUUID } = crypto;
  const seededUuid = () => {
    const bytes = random.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
  Object.assign(crypto, {
    randomBytes: (size: number) => random.bytes(size),
    randomUUID: seededUuid,
  });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      Object.assign(crypto, { randomBytes, randomUUID });
      syncBuiltinESMExports();
    },
  };
}
