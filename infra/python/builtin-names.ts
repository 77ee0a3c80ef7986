import type { ScopedName, Scopes } from './scopes.ts';

/** What CPython 3.11 binds in `builtins`, but for the names with two underscores around them. */
export const builtinNames: ReadonlySet<string> = new Set(
  (
    'ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError ' +
    'BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ' +
    'ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError ' +
    'Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError ' +
    'FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ' +
    'ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError ' +
    'KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError ' +
    'NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning ' +
    'PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError ' +
    'RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError ' +
    'SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError ' +
    'UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError ' +
    'Warning ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint bytearray bytes ' +
    'callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate ' +
    'eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int ' +
    'isinstance issubclass iter len license list locals map max memoryview min next object oct open ' +
    'ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str ' +
    'sum super tuple type vars zip'
  ).split(' '),
);

/** May this name stand for Python's own, whatever else the file binds it to? */
export function mayBeBuiltin(load: ScopedName | null, scopes: Scopes): boolean {
  return load !== null && builtinNames.has(load.node.text) && !scopes.resolve(load).certain;
}
