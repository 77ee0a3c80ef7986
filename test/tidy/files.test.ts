import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { offences, type Source, source, sources } from './sources.ts';

/** Names that say nothing about what a file holds, so that everything ends up there. */
function* emptyNames({ path }: Source): Generator<string> {
  if (path === 'machines/types.ts') return;
  const name = path.split('/').at(-1)?.split('.')[0] ?? '';
  if (/^(utils?|common|helpers?|manager|service|types|misc)$/.test(name)) yield name;
}

test('a file is named for what it holds', (t) => {
  t.deepEqual(offences(sources('ts', 'mjs'), emptyNames), []);
});

test('a file that could hold anything is caught', (t) => {
  t.is(offences([source('infra/nats/utils.ts', '')], emptyNames).length, 1);
});

function unpaired(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    const other = path.endsWith('.up.sql')
      ? path.replace('.up.sql', '.down.sql')
      : path.replace('.down.sql', '.up.sql');
    return !all.has(other);
  });
}

test('every migration can be taken back', (t) => {
  const paths = sources('up.sql', 'down.sql').map(({ path }) => path);

  t.true(paths.length > 0);
  t.deepEqual(unpaired(paths), []);
});

test('a migration without its way back is caught', (t) => {
  t.deepEqual(unpaired(['0001_a.up.sql', '0001_a.down.sql', '0002_b.up.sql']), ['0002_b.up.sql']);
});

// A lock with addresses installs from one registry only, and not from anybody's mirror.
function* downloadAddresses({ lines }: Source): Generator<string> {
  for (const line of lines) if (line.includes('"resolved"')) yield line.trim();
}

test('the lock files name no download addresses', (t) => {
  const root = join(import.meta.dirname, '../..');
  const paths = ['package-lock.json', 'infra/embedded/package-lock.json'];
  const locks = paths.map((path) => source(path, readFileSync(join(root, path), 'utf8')));

  t.deepEqual(offences(locks, downloadAddresses), []);
});

test('a download address in a lock file is caught', (t) => {
  const lock = source('package-lock.json', '"resolved": "https://mirror.example/a.tgz"');

  t.is(offences([lock], downloadAddresses).length, 1);
});
