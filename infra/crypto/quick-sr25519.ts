import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { WasmMemory } from '../wasm/web-assembly.ts';
import { compileChecks, put } from './check-module.ts';
import type { Claim } from './claim-room.ts';

/** True for a good signature. What it cannot read makes it throw, and then it is of no use any more. */
export type QuickCheck = (claim: Claim) => boolean;

interface QuickExports {
  readonly memory: WasmMemory;
  __wbindgen_malloc(size: number, alignment: number): number;
  /** Address and length of key, message and signature; frees all three. */
  sr25519_verify(...spans: readonly number[]): number;
}

/** Compiles the module of schnorrkel-wasm, and gives what makes instances of it. */
export async function loadQuickChecks(): Promise<() => QuickCheck> {
  const glue = createRequire(import.meta.url).resolve('@polkadot-labs/schnorrkel-wasm');
  const binary = await readFile(join(dirname(glue), 'schnorrkel_bg.wasm'));
  const newInstance = await compileChecks<QuickExports>(binary);
  return () => quickCheck(newInstance());
}

function quickCheck(wasm: QuickExports): QuickCheck {
  return ({ publicKey, message, signature }) =>
    wasm.sr25519_verify(...put(wasm, publicKey), ...put(wasm, message), ...put(wasm, signature)) !==
    0;
}
