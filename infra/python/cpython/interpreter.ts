/**
 * One CPython 3.11 that compiles files and runs none of them. Through the C API, because Python
 * code of ours would need modules, and what is not loaded cannot be misused.
 */
import { declaredEncoding } from '../source-file.ts';
import { type CFunction, type LoadedModule, loadModule, type Pointer } from './emscripten.ts';
import type { Judgement } from './judgement.ts';

export interface Interpreter {
  /** May take for ever and may leave the interpreter unusable, which it then says. */
  judge(file: Uint8Array): { readonly judgement: Judgement; readonly worn: boolean };
}

// Isolated, without site, and without a word about a file's dubious escapes.
const commandLine = ['python', '-I', '-S', '-B', '-Wignore', '-c', 'pass'];
const fileInput = 257;
const grammar = { flags: 0x100, minor: 11 };
const defaultOptimisation = -1;
// An honest file of 900 kB needs 90 MB; memory is never given back.
const wornBytes = 128 * 1024 * 1024;
const messageCharactersMax = 300;
const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);

export async function startInterpreter(): Promise<Interpreter> {
  const module = await loadModule();
  const api = apiOf(module);
  initialise(module, api);
  const name = api.PyUnicode_FromString(api.string('agent.py'));
  return {
    judge(file) {
      try {
        const judgement = compile(file, { module, api, name });
        return { judgement, worn: module.memory.buffer.byteLength > wornBytes };
      } catch {
        // The engine's stack ran out or the module trapped: nothing inside can be relied on.
        return { judgement: { kind: 'exhausted', what: 'depth' }, worn: true };
      }
    },
  };
}

const functionNames = [
  ...['malloc', 'free', 'Py_DecRef', 'Py_CompileStringObject', 'PyErr_Fetch', 'PyErr_Clear'],
  ...['PyErr_NormalizeException', 'PyObject_GetAttrString', 'PyLong_AsLong', 'PyObject_Str'],
  ...['PyUnicode_AsUTF8', 'PyUnicode_FromString', 'PyConfig_InitPythonConfig'],
  ...['PyConfig_SetBytesArgv', 'Py_InitializeFromConfig'],
] as const;

type Functions = Record<(typeof functionNames)[number], CFunction>;

interface Api extends Functions {
  /** A copy of the bytes in CPython's memory, a zero byte behind it. */
  bytes(...parts: readonly Uint8Array[]): Pointer;
  string(text: string): Pointer;
}

function apiOf({ c, memory }: LoadedModule): Api {
  const functions = Object.fromEntries(functionNames.map((name) => [name, c(name)])) as Functions;
  const bytes = (...parts: readonly Uint8Array[]): Pointer => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const at = functions.malloc(length + 1);
    if (at === 0) throw new Error('CPython has no memory left');
    // A view taken before malloc would be of the memory before it grew.
    const view = new Uint8Array(memory.buffer, at, length + 1);
    let offset = 0;
    for (const part of parts) {
      view.set(part, offset);
      offset += part.length;
    }
    view[length] = 0;
    return at;
  };
  return { ...functions, bytes, string: (text) => bytes(Buffer.from(text)) };
}

function initialise({ memory }: LoadedModule, api: Api): void {
  // Larger than PyConfig and PyStatus are; freed never, as the interpreter.
  const config = api.malloc(4096);
  const status = api.malloc(64);
  const words = api.malloc(4 * commandLine.length);
  const addresses = commandLine.map(api.string);
  new Uint32Array(memory.buffer, words, addresses.length).set(addresses);
  api.PyConfig_InitPythonConfig(config);
  api.PyConfig_SetBytesArgv(status, config, commandLine.length, words);
  api.Py_InitializeFromConfig(status, config);
  const [failed] = new Int32Array(memory.buffer, status, 1);
  if (failed !== 0) throw new Error('CPython does not initialise');
}

interface Compiler {
  readonly module: LoadedModule;
  readonly api: Api;
  readonly name: Pointer;
}

function compile(file: Uint8Array, { module, api, name }: Compiler): Judgement {
  // With the mark in front, CPython itself refuses a comment that names another encoding, should
  // it find one where we did not. It would also refuse some other spellings of utf-8.
  const isMarked = byteOrderMark.every((byte, at) => file[at] === byte);
  const isPlain = isMarked || declaredEncoding(file) !== null;
  const source = isPlain ? api.bytes(file) : api.bytes(byteOrderMark, file);
  const flags = api.malloc(8);
  new Int32Array(module.memory.buffer, flags, 2).set([grammar.flags, grammar.minor]);
  const code = api.Py_CompileStringObject(source, name, fileInput, flags, defaultOptimisation);
  api.free(source);
  api.free(flags);
  if (code === 0) return refusal(module, api);
  api.Py_DecRef(code);
  return { kind: 'parses' };
}

function refusal(module: LoadedModule, api: Api): Judgement {
  const slots = api.malloc(12);
  api.PyErr_Fetch(slots, slots + 4, slots + 8);
  api.PyErr_NormalizeException(slots, slots + 4, slots + 8);
  const error = [...new Uint32Array(module.memory.buffer, slots, 3)];
  api.free(slots);
  const [type = 0, value = 0] = error;
  const kind = attribute(type, '__name__', { module, api });
  const message = attribute(value, 'msg', { module, api });
  const line = Number(attribute(value, 'lineno', { module, api }));
  for (const object of error) if (object !== 0) api.Py_DecRef(object);
  if (kind === 'MemoryError') {
    const what = module.memory.buffer.byteLength > wornBytes ? 'memory' : 'depth';
    return { kind: 'exhausted', what };
  }
  if (kind === 'RecursionError') return { kind: 'exhausted', what: 'depth' };
  return {
    kind: 'refused',
    message: (message ?? kind ?? 'invalid syntax').slice(0, messageCharactersMax),
    line: line >= 1 ? line : null,
  };
}

/** `str(object.name)`, or null when there is none or it is no text. */
function attribute(
  object: Pointer,
  name: string,
  { module, api }: Pick<Compiler, 'module' | 'api'>,
): string | null {
  const spelled = api.string(name);
  const value = object === 0 ? 0 : api.PyObject_GetAttrString(object, spelled);
  const text = value === 0 ? 0 : api.PyObject_Str(value);
  const at = text === 0 ? 0 : api.PyUnicode_AsUTF8(text);
  const read = at === 0 ? null : module.text(at);
  for (const used of [value, text]) if (used !== 0) api.Py_DecRef(used);
  api.free(spelled);
  api.PyErr_Clear();
  return read;
}
