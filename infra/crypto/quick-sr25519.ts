import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type WasmInstance, type WasmMemory, webAssembly } from '../wasm/web-assembly.ts';
import type { Claim } from './claim-room.ts';

/** True for a good signature. What it cannot read makes it throw, and then it is of no use any more. */
export type QuickCheck = (claim: Claim) => boolean;

/** What of the module a check uses. Addresses are offsets into its memory. */
interface QuickExports {
  readonly memory: WasmMemory;
  __wbindgen_malloc(size: number, alignment: number): number;
  /** Address and length of key, message and signature; frees all three. */
  sr25519_verify(...spans: readonly number[]): number;
}

/**
 * Compiles the module of schnorrkel-wasm, and gives what makes instances of it. Without the package's
 * own glue: that has one instance for as long as the thread lives, and prints what went wrong to
 * standard error.
 */
export async function loadQuickChecks(): Promise<() => QuickCheck> {
  const glue = createRequire(import.meta.url).resolve('@polkadot-labs/schnorrkel-wasm');
  const module = await webAssembly.compile(
    await readFile(join(dirname(glue), 'schnorrkel_bg.wasm')),
  );
  const imports = refusals(module);
  return () => quickCheck(new webAssembly.Instance(module, imports));
}

/** A check needs nothing from outside. What is asked for all the same is asked for by a panic. */
function refusals(module: object): object {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: from, name } of webAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => refuse(name) };
  }
  return imports;
}

function refuse(name: string): never {
  throw new Error(`a check of a signature called ${name}`);
}

function quickCheck({ exports }: WasmInstance): QuickCheck {
  // The package's exact version is in the lock, and a test of every vector goes through here.
  const wasm = exports as unknown as QuickExports;
  const span = (bytes: Uint8Array): [address: number, length: number] => {
    const address = wasm.__wbindgen_malloc(bytes.length, 1) >>> 0;
    // Allocation may have grown the memory, which makes an older view of it empty.
    new Uint8Array(wasm.memory.buffer).set(bytes, address);
    return [address, bytes.length];
  };
  return ({ publicKey, message, signature }) =>
    wasm.sr25519_verify(...span(publicKey), ...span(message), ...span(signature)) !== 0;
}
