import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { webAssembly } from '../wasm/web-assembly.ts';

let compiled: Promise<object> | undefined;

/**
 * Compiles ruff once a process, for all threads that load it after that. The engine gives them the
 * same code as long as somebody holds the module: without it, each thread that replaces a killed one
 * compiled and optimised ruff anew, 3 s of processor time on the engine's own threads.
 */
export async function keepRuffCompiled(read: typeof readFile = readFile): Promise<void> {
  compiled ??= compileRuff(read).catch((error: unknown) => {
    // Whatever stood against it may be over with the next file.
    compiled = undefined;
    throw error;
  });
  await compiled;
}

async function compileRuff(read: typeof readFile): Promise<object> {
  const path = createRequire(import.meta.url).resolve(
    '@astral-sh/ruff-wasm-nodejs/ruff_wasm_bg.wasm',
  );
  return webAssembly.compile(await read(path));
}
