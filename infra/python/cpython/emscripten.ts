/**
 * pyodide's CPython without pyodide: only the WebAssembly module and its C API. What pyodide adds
 * (a bridge to JavaScript, packages, a kernel of Python modules compiled at every start) would
 * cost five times the start and give Python code a way out of its box.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { runInThisContext } from 'node:vm';
import { type WasmInstance, type WasmMemory, webAssembly } from '../../wasm/web-assembly.ts';

export type Pointer = number;

/** A function of CPython's C API; every argument and result is an int or a pointer. */
export type CFunction = (...given: number[]) => number;

export interface LoadedModule {
  /** The function of that name; throws for one that does not exist. */
  c(name: string): CFunction;
  readonly memory: WasmMemory;
  /** The UTF-8 text that ends with a zero byte. */
  text(at: Pointer): string;
}

interface EmscriptenModule {
  readonly FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void };
}

type Instantiated = (instance: WasmInstance, module: object) => void;
type Factory = (module: object) => Promise<unknown>;

// Pages of 64 KiB: the module's own start (20 MiB) and what one file may add (240 MiB, so that its
// whole process grows by no more than 256).
const pagesAtStart = 320;
const pagesMax = pagesAtStart + 3840;

export async function loadModule(): Promise<LoadedModule> {
  const directory = dirname(createRequire(import.meta.url).resolve('pyodide/pyodide.asm.wasm'));
  const [binary, library] = await Promise.all([
    readFile(`${directory}/pyodide.asm.wasm`),
    readFile(`${directory}/python_stdlib.zip`),
  ]);
  const memory = new webAssembly.Memory({ initial: pagesAtStart, maximum: pagesMax });
  const exports = await instantiated({ directory, binary, library, memory });
  return {
    c(name) {
      const found = exports[name];
      if (typeof found !== 'function') throw new Error(`CPython exports no function ${name}`);
      return found as CFunction;
    },
    memory,
    text(at) {
      const bytes = new Uint8Array(memory.buffer);
      return Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString('utf8');
    },
  };
}

interface ModuleParts {
  readonly directory: string;
  readonly binary: Uint8Array;
  readonly library: Uint8Array;
  readonly memory: WasmMemory;
}

async function instantiated(parts: ModuleParts): Promise<WasmInstance['exports']> {
  const create = await factory(parts.directory);
  let exports: WasmInstance['exports'] = {};
  const quiet = () => undefined;
  const module = {
    ...{ API: { config: {} }, wasmMemory: parts.memory, print: quiet, printErr: quiet },
    ...{ noInitialRun: true, noImageDecoding: true, noAudioDecoding: true, noWasmDecoding: true },
    preRun: [(made: EmscriptenModule) => installLibrary(made ?? module, parts.library)],
    instantiateWasm(imports: object, done: Instantiated) {
      void webAssembly.instantiate(parts.binary, imports).then(({ instance, module }) => {
        exports = instance.exports;
        done(instance, module);
      });
      return {};
    },
  };
  await create(module);
  return exports;
}

function installLibrary({ FS }: EmscriptenModule, library: Uint8Array): void {
  FS.mkdirTree('/lib/python3.11/site-packages');
  FS.writeFile('/lib/python311.zip', library);
}

/** The package's glue is a classic script that looks for these three as a CommonJS module would. */
async function factory(directory: string): Promise<Factory> {
  const filename = `${directory}/pyodide.asm.js`;
  const script = await readFile(filename, 'utf8');
  const commonJs = {
    require: createRequire(filename),
    __dirname: directory,
    __filename: filename,
  };
  Object.assign(globalThis, commonJs);
  runInThisContext(script, { filename });
  return (globalThis as unknown as { _createPyodideModule: Factory })._createPyodideModule;
}
