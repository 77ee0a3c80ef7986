import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

interface Locked {
  /** Where it differs from the folder's. */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly license?: string;
}

type Lock = Readonly<Record<string, Locked>>;

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const lockOf = (path: string): Lock => JSON.parse(read(path)).packages;
const manifests = ['package.json', 'infra/embedded/package.json'];
const locks = ['package-lock.json', 'infra/embedded/package-lock.json'];

/** Their scripts never run; decision record 0034 says what each would have done. */
const knownScripts = new Set(['protobufjs']);

/** Of what a production install holds: names of packages that would run a program at install. */
function withInstallScript(lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
}

function withoutDigest(lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([path, { integrity, link }]) => path !== '' && link !== true && !isSha512(integrity))
    .map(([path]) => path);
}

function isSha512(integrity: string | undefined): boolean {
  return integrity?.startsWith('sha512-') === true;
}

function inexact(manifest: string): string[] {
  const { dependencies, devDependencies, optionalDependencies, overrides } = JSON.parse(manifest);
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides };
  return Object.entries(all).flatMap(([name, range]) =>
    /^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(range)) ? [] : [name],
  );
}

test('no production dependency runs a program when it is installed, but what a record explains', (t) => {
  const found = withInstallScript(lockOf('package-lock.json'));

  t.deepEqual(
    found.filter((name) => !knownScripts.has(name)),
    [],
  );
  t.deepEqual(
    [...knownScripts].filter((name) => !found.includes(name)),
    [],
    'the record explains a script that is gone',
  );
});

test('a dependency with an install script is caught', (t) => {
  const lock = { 'node_modules/a/node_modules/bad': { hasInstallScript: true } };

  t.deepEqual(withInstallScript(lock), ['bad']);
  t.deepEqual(
    withInstallScript({ 'node_modules/tool': { hasInstallScript: true, dev: true } }),
    [],
  );
});

test('every install of ours leaves install scripts out', (t) => {
  t.regex(read('infra/bootstrap.mjs'), /'--ignore-scripts'/);
  for (const [line] of read('infra/compose/Dockerfile').matchAll(/^RUN npm .*$/gm)) {
    t.regex(line, /--ignore-scripts/);
  }
});

test('every package of the locks has a sha512 digest', (t) => {
  for (const path of locks) t.deepEqual(withoutDigest(lockOf(path)), [], path);
  t.deepEqual(withoutDigest({ 'node_modules/a': { integrity: 'sha1-x' } }), ['node_modules/a']);
});

test('every dependency is named with its exact version', (t) => {
  for (const path of manifests) t.deepEqual(inexact(read(path)), [], path);
  t.deepEqual(inexact('{"dependencies": {"a": "^1.0.0", "b": "1.0.0", "c": "*"}}'), ['a', 'c']);
});

test('the list of what is shipped holds each production package of the lock, and no other', (t) => {
  const script = join(root, 'infra/sbom.mjs');
  const written = execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const { components } = JSON.parse(written) as { components: { purl: string }[] };
  const shipped = Object.entries(lockOf('package-lock.json'))
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { name, version }]) => {
      const known = name ?? path.replace(/^.*node_modules\//, '');
      return `pkg:npm/${known.replace('@', '%40')}@${version}`;
    });

  t.true(
    shipped.some((purl) => purl.startsWith('pkg:npm/zod@')),
    'development needs it too',
  );
  t.deepEqual(
    [...new Set(components.map(({ purl }) => purl))].sort(),
    [...new Set(shipped)].sort(),
  );
});
