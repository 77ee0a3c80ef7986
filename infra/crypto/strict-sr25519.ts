import { inflateSync } from 'node:zlib';
import { bytes, lenOut } from '@polkadot/wasm-crypto-wasm/cjs/bytes';
import type { WasmMemory } from '../wasm/web-assembly.ts';
import { compileChecks, put } from './check-module.ts';
import type { Claim } from './claim-room.ts';

/** True for a good signature, false for any other of a claim that `mayVerify`. */
export type StrictCheck = (claim: Claim) => boolean;

interface StrictExports {
  readonly memory: WasmMemory;
  __wbindgen_malloc(size: number, alignment: number): number;
  /** Address and length of signature, message and key; frees all three. */
  ext_sr_verify(...spans: readonly number[]): number;
}

/**
 * Compiles the module of wasm-crypto, which its package has deflated and in base64. Throws when the package
 * holds another than it says.
 */
export async function loadStrictCheck(): Promise<StrictCheck> {
  const binary = inflateSync(Buffer.from(bytes, 'base64'));
  if (binary.length !== lenOut) throw new Error('the module of wasm-crypto is cut off');
  const wasm = (await compileChecks<StrictExports>(binary))();
  return ({ publicKey, message, signature }) =>
    wasm.ext_sr_verify(...put(wasm, signature), ...put(wasm, message), ...put(wasm, publicKey)) !==
    0;
}
