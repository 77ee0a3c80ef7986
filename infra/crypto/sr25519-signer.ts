import { sr25519KeypairFromSeed, sr25519Sign, waitReady } from '@polkadot/wasm-crypto';

// The library is WebAssembly; whoever imports this file finds it ready.
await waitReady();

export interface Keypair {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes, another each time: schnorrkel's nonce is random. */
  sign(message: Uint8Array): Uint8Array;
}

const secretKeyBytes = 64;

/** For simulated miners and validators and for tests; the service itself signs nothing. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  if (seed.length !== 32) throw new RangeError(`a seed has 32 bytes, not ${seed.length}`);
  const pair = sr25519KeypairFromSeed(seed);
  const secretKey = pair.slice(0, secretKeyBytes);
  const publicKey = pair.slice(secretKeyBytes);
  return { publicKey, sign: (message) => sr25519Sign(publicKey, secretKey, message) };
}
