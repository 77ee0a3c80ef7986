import { type WasmInstance, type WasmMemory, webAssembly } from '../wasm/web-assembly.ts';

/** What of a module a check uses. Addresses are offsets into its memory. */
interface CheckExports {
  readonly memory: WasmMemory;
  /** Of the strict library it takes no alignment, and leaves what it is told of one. */
  __wbindgen_malloc(size: number, alignment: number): number;
}

/**
 * Compiles a library that checks signatures, and gives what makes instances of it. Without the packages'
 * own glue, which has one instance for as long as the thread lives, prints to standard error what went
 * wrong, and takes ten times as long to load as the library itself.
 */
export async function compileChecks<Exports extends CheckExports>(
  binary: Uint8Array,
): Promise<() => Exports> {
  const module = await webAssembly.compile(binary);
  const imports = refusals(module);
  return () => exportsOf<Exports>(new webAssembly.Instance(module, imports));
}

// The packages' exact versions are in the lock, and a test of every vector goes through here.
function exportsOf<Exports extends CheckExports>({ exports }: WasmInstance): Exports {
  return exports as unknown as Exports;
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

/** Where the library finds them; it frees what it was passed. */
export function put(wasm: CheckExports, bytes: Uint8Array): [address: number, length: number] {
  const address = wasm.__wbindgen_malloc(bytes.length, 1) >>> 0;
  // Allocation may have grown the memory, which makes an older view of it empty.
  new Uint8Array(wasm.memory.buffer).set(bytes, address);
  return [address, bytes.length];
}
