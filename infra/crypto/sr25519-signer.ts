import {
  bip39ToMiniSecret,
  bip39Validate,
  sr25519DeriveKeypairHard,
  sr25519DeriveKeypairSoft,
  sr25519KeypairFromSeed,
  sr25519Sign,
  sr25519Verify,
  waitReady,
} from '@polkadot/wasm-crypto';

// The library is WebAssembly; whoever imports this file finds it ready.
await waitReady();

export interface Keypair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes: the scalar times the cofactor, and the nonce. */
  readonly secretKey: Uint8Array;
  /** 64 bytes, another each time: schnorrkel's nonce is random. */
  sign(message: Uint8Array): Uint8Array;
}

/** A step from a key to one below it: its 32 bytes, and whether the public key alone can take it. */
export interface Junction {
  readonly chainCode: Uint8Array;
  readonly isHard: boolean;
}

const secretKeyBytes = 64;

/** For miners and validators, simulated ones and tests; the service itself signs nothing. */
export function keypairFromSeed(seed: Uint8Array, path: readonly Junction[] = []): Keypair {
  if (seed.length !== 32) throw new RangeError(`a seed has 32 bytes, not ${seed.length}`);
  let pair = sr25519KeypairFromSeed(seed);
  for (const { chainCode, isHard } of path) {
    pair = (isHard ? sr25519DeriveKeypairHard : sr25519DeriveKeypairSoft)(pair, chainCode);
  }
  const secretKey = pair.slice(0, secretKeyBytes);
  return keypair(secretKey, pair.slice(secretKeyBytes));
}

/** Undefined when the halves do not belong together. */
export function keypairFromHalves(
  secretKey: Uint8Array,
  publicKey: Uint8Array,
): Keypair | undefined {
  if (secretKey.length !== secretKeyBytes || publicKey.length !== 32) return undefined;
  const pair = keypair(secretKey, publicKey);
  const message = Buffer.from('the halves of one key');
  try {
    return sr25519Verify(pair.sign(message), message, publicKey) ? pair : undefined;
  } catch {
    // The library panics on bytes that are no scalar or no point.
    return undefined;
  }
}

/** Substrate's reading of a BIP-39 phrase; undefined when its words or their checksum are wrong. */
export function seedOfPhrase(phrase: string, password: string): Uint8Array | undefined {
  const words = phrase.normalize('NFKD');
  return bip39Validate(words) ? bip39ToMiniSecret(words, password.normalize('NFKD')) : undefined;
}

function keypair(secretKey: Uint8Array, publicKey: Uint8Array): Keypair {
  return { publicKey, secretKey, sign: (message) => sr25519Sign(publicKey, secretKey, message) };
}
