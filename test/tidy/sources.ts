import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A file of ours: its path from the root, with slashes, and its lines. */
export interface Source {
  readonly path: string;
  readonly lines: readonly string[];
}

const root = join(import.meta.dirname, '../..');
const folders = '{apps,actors,machines,infra,test}';

export function source(path: string, text: string): Source {
  return { path, lines: text.split('\n') };
}

/** Every source with one of the endings, such as `ts` or `sql`. */
export function sources(...endings: string[]): Source[] {
  const patterns = endings.map((ending) => `${folders}/**/*.${ending}`);
  const exclude = ['**/node_modules/**'];
  return globSync(patterns, { cwd: root, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => source(path, readFileSync(join(root, path), 'utf8')));
}

/** One line per place where a rule is broken. A rule that saw no file has not been checked. */
export function offences(
  files: readonly Source[],
  rule: (file: Source) => Iterable<string>,
): string[] {
  if (files.length === 0) throw new Error('the rule scanned no files');
  return files.flatMap((file) => [...rule(file)].map((offence) => `${file.path}: ${offence}`));
}

/** The lines with their comments blanked; a rule about code must not trip over prose. */
export function codeLines({ lines }: Source): string[] {
  return lines.map((line) =>
    /^\s*(\/\/|\/?\*|--)/.test(line) ? '' : line.replace(/\s(\/\/|--)\s.*$/, ''),
  );
}

/** What a file imports: packages by their specifier, our own files by their path from the root. */
export function* imports(file: Source): Generator<string> {
  const text = codeLines(file).join('\n');
  const statements = /\b(?:from|import)\s*\(?\s*'([^'\n]+)'/g;
  for (const [, specifier = ''] of text.matchAll(statements)) {
    yield specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : specifier;
  }
}
