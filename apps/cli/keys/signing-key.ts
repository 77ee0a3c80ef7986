import { type Keypair, keypairFromHalves } from '../../../infra/crypto/sr25519-signer.ts';
import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import { KeyUnusable } from './key-unusable.ts';

/** A hotkey that signs. */
export interface SigningKey {
  /** SS58 with prefix 42. */
  readonly hotkey: string;
  readonly publicKey: Uint8Array;
  /** 64 bytes: the scalar times the cofactor, as polkadot-js and wasm-crypto keep it. */
  readonly secretKey: Uint8Array;
  /** 0x and 128 hex digits. */
  sign(text: string): string;
}

export function signingKey(pair: Keypair): SigningKey {
  return {
    hotkey: encodeHotkey(pair.publicKey),
    publicKey: pair.publicKey,
    secretKey: pair.secretKey,
    sign: (text) => `0x${pair.sign(Buffer.from(text)).toHex()}`,
  };
}

export function keyOfHalves(secretKey: Uint8Array, publicKey: Uint8Array): SigningKey {
  const pair = keypairFromHalves(secretKey, publicKey);
  if (pair !== undefined) return signingKey(pair);
  throw new KeyUnusable(
    'the secret and the public key in the file do not belong together: export the key again',
  );
}
