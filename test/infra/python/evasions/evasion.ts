/** A file that reaches what a submission must not reach, and how to see in CPython that it does. */
export type Category = 'IMPORT' | 'CODE' | 'ESCAPE' | 'FILE' | 'NETWORK' | 'INTEGRITY';

/**
 * What the name `R` holds after the file has run:
 * pid: the process id; two: a string of Python that was evaluated; module, frame, code, traceback:
 * an object of that kind; globals: the names of a module; builtin: a function that evaluates,
 * imports or opens; classes: the list of all classes; root: `object` or `type` by way of another
 * value; text: content of a file that was planted; environment: all variables of the process;
 * printed: the inside of an object, as text; hidden: an attribute whose name the file does not
 * write; patched: something shared that was replaced; made: a class that no class statement wrote;
 * socket, handle: a connection, an open file or the classes of those.
 */
export type Reach =
  | 'pid'
  | 'two'
  | 'module'
  | 'frame'
  | 'code'
  | 'traceback'
  | 'globals'
  | 'builtin'
  | 'classes'
  | 'root'
  | 'text'
  | 'environment'
  | 'printed'
  | 'hidden'
  | 'patched'
  | 'made'
  | 'socket'
  | 'handle';

export interface Evasion {
  readonly id: string;
  readonly style: string;
  readonly category: Category;
  readonly reaches: Reach;
  readonly source: string;
}

type Entry = readonly [Category, Reach, string];

export function evasionsOf(style: string, entries: Readonly<Record<string, Entry>>): Evasion[] {
  return Object.entries(entries).map(([name, [category, reaches, source]]) => ({
    ...{ id: `${style}: ${name}`, style, category, reaches },
    source: source.endsWith('\n') ? source : `${source}\n`,
  }));
}
