import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { decodeHex, encodeHex } from './hex.ts';

export interface Ed25519Signer {
  /** 64 hex digits. */
  readonly publicKey: string;
  /** 128 hex digits. */
  sign(message: Uint8Array): string;
}

// What RFC 8410 puts before the 32 bytes of a seed and of a public key.
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs with the key of a 32-byte seed. */
export function createEd25519Signer(seed: Uint8Array): Ed25519Signer {
  const der = Buffer.concat([privatePrefix, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicDer = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: encodeHex(publicDer.subarray(publicPrefix.length)),
    sign: (message) => encodeHex(sign(null, message, key)),
  };
}

/** Never throws: what is no key or no signature proves nothing. */
export function verifyEd25519(message: Uint8Array, signature: string, publicKey: string): boolean {
  const keyBytes = decodeHex(publicKey);
  const signatureBytes = decodeHex(signature);
  if (keyBytes?.length !== 32 || signatureBytes?.length !== 64) return false;
  try {
    const der = Buffer.concat([publicPrefix, keyBytes]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, message, key, signatureBytes);
  } catch {
    return false;
  }
}
