import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../..');
const patterns = ['*.md', '{apps,actors,infra,machines,test}/**/*.md'];

interface Page {
  readonly path: string;
  readonly text: string;
}

const pages: readonly Page[] = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** What is shown as code is no link and no heading. */
const prose = (text: string) =>
  text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '`');

/** As GitHub and its like name headings: what is neither letter, digit nor hyphen goes. */
function anchorsOf(text: string): ReadonlySet<string> {
  const withoutBlocks = text.replaceAll(/^```.*?^```$/gms, '');
  const seen = new Map<string, number>();
  const named = [...withoutBlocks.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) => {
    const shown = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = shown.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
  return new Set(named);
}

/** Links of a page that lead nowhere, or out of the repository by a path. */
function brokenLinks({ path, text }: Page): string[] {
  const targets = [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^(https?|mailto):/.test(target))
    .filter((target) => !leadsSomewhere(target, { path, text }))
    .map((target) => `${path}: ${target}`);
}

function leadsSomewhere(target: string, { path, text }: Page): boolean {
  const [file = '', anchor] = target.split('#');
  const place = file === '' ? path : posix.join(posix.dirname(path), file);
  if (file.startsWith('/') || place.startsWith('..')) return false;
  if (file !== '' && !existsSync(join(root, place))) return false;
  if (anchor === undefined) return true;
  return anchorsOf(file === '' ? text : readFileSync(join(root, place), 'utf8')).has(anchor);
}

test('every link of every page leads to a file and a heading that are there', (t) => {
  const paths = pages.map(({ path }) => path);
  for (const page of ['README.md', 'infra/guides/miners.md']) t.true(paths.includes(page));

  t.deepEqual(pages.flatMap(brokenLinks), []);
});

test('a link that leads nowhere is caught, in each of the ways', (t) => {
  const text = `# A \`b\`, c\n[1](README.md) [2](moon.md) [3](README.md#moon) [4](#a-b-c) [5](#moon)
[6](/etc/hosts) [7](../x.md) \`[8](moon.md)\` [9](https://example.org/moon)\n\`\`\`\n[10](moon.md)\n\`\`\`\n`;

  t.deepEqual(
    brokenLinks({ path: 'x.md', text }).map((line) => line.slice('x.md: '.length)),
    ['moon.md', 'README.md#moon', '#moon', '/etc/hosts', '../x.md'],
  );
});

test('headings are named as their readers’ programs name them', (t) => {
  const text =
    '# What is here, and what is not\n## `x` of [y](z)\n## Twice\n## Twice\n```\n# no\n```\n';

  t.deepEqual([...anchorsOf(text)], ['what-is-here-and-what-is-not', 'x-of-y', 'twice', 'twice-1']);
});

test('every guide and every page of reference is linked from the README', (t) => {
  const readme = pages.find(({ path }) => path === 'README.md')?.text ?? '';
  for (const folder of ['infra/guides/', 'infra/reference/']) {
    const own = pages.map(({ path }) => path).filter((path) => path.startsWith(folder));

    t.true(own.length > 0, folder);
    t.deepEqual(
      own.filter((path) => !readme.includes(`](${path})`)),
      [],
    );
  }
});
