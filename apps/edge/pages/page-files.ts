import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { entityTagOf } from '../public-reads/entity-tag.ts';

/** One static file in each coding that it was built in. */
export interface PageFile {
  readonly type: string;
  readonly tag: string;
  readonly content: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

export interface PageFiles {
  readonly index: PageFile;
  /** By their names, which change with their content. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const built = join(import.meta.dirname, '../../dashboard/dist');

/** What `apps/dashboard/build.mjs` left; undefined where the pages were never built. */
export function readPageFiles(folder: string = built): PageFiles | undefined {
  if (!existsSync(join(folder, 'stamp'))) return undefined;
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in types);
  const assets = new Map(names.map((name) => [name, readFile(join(folder, 'assets', name))]));
  return { index: readFile(join(folder, 'index.html')), assets };
}

function readFile(path: string): PageFile {
  const content = readFileSync(path);
  return {
    type: types[extname(path)] ?? '',
    tag: entityTagOf(content),
    content,
    br: readFileSync(`${path}.br`),
    gzip: readFileSync(`${path}.gz`),
  };
}
