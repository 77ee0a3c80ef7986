/** The engine's WebAssembly. Its types come with the browser's only, so the parts used are here. */
export interface WasmMemory {
  /** Another one after every growth. */
  readonly buffer: ArrayBuffer;
}

export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>;
}

interface WebAssemblyParts {
  readonly Instance: new (module: object, imports: object) => WasmInstance;
  readonly Module: {
    imports(module: object): readonly { readonly module: string; readonly name: string }[];
  };
  /** Sizes are pages of 64 KiB. */
  readonly Memory: new (pages: {
    initial: number;
    maximum: number;
  }) => WasmMemory;
  compile(binary: Uint8Array): Promise<object>;
  instantiate(
    binary: Uint8Array,
    imports: object,
  ): Promise<{ readonly instance: WasmInstance; readonly module: object }>;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyParts }).WebAssembly;
