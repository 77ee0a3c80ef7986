import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PageName } from '../../apps/dashboard/page-paths.ts';

const sources = join(import.meta.dirname, '../../apps/dashboard/browser');
const textOf = (path: string) => readFileSync(join(sources, path), 'utf8');
const allOf = (text: string, what: RegExp) =>
  [...text.matchAll(what)].map(([, found = '']) => found);

/** The file that draws a page. */
export function fileOf(page: PageName): string {
  const app = textOf('app.tsx');
  const drawn = new RegExp(`case '${page}':[^<]*<(\\w+)`).exec(app)?.[1];
  return new RegExp(`import \\{ ${drawn} \\} from '\\./([^']+)'`).exec(app)?.[1] ?? '';
}

/** Of a file and of all that it imports, which answers it shows. */
export function partsOf(path: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const text = textOf(path);
  const imports = allOf(text, /from '(\.[^']+\.tsx)'/g).map((name) => join(dirname(path), name));
  return [
    ...allOf(text, /<(?:Loaded|Loading)\s[^>]*?what="([^"]+)"/g),
    ...imports.flatMap((each) => partsOf(each, seen)),
  ];
}
