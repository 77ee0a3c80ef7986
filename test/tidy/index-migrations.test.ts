import test from 'ava';
import { type Source, sources } from './sources.ts';

/** Those before it were applied somewhere, so that their texts stay as they are. */
const lastBefore = 72;

/**
 * Tables that were there before, of which a file makes an index beside dropping one or altering the table. Both lock
 * readers out until all of the file is applied, so also while the index is made; what comes last gives up while
 * anybody reads, and what was made until then is made again.
 */
function madeUnderLock(text: string): readonly string[] {
  const code = text.replaceAll(/--.*$/gm, '');
  const own = new Set(
    namesOf(code, /\bcreate (?:unlogged )?table (?:if not exists )?([a-z_.]+)/gi),
  );
  const altered = new Set(namesOf(code, /\balter table (?:if exists )?(?:only )?([a-z_.]+)/gi));
  const made =
    /\bcreate (?:unique )?index (?:(?:if not exists )?(?!on\b)\w+\s+)?on (?:only )?([a-z_.]+)/gi;
  // A constraint has an index of its own, unless it takes one that is there.
  const constrained =
    /\balter table (?:if exists )?(?:only )?([a-z_.]+)(?=[^;]*\badd\b[^;]*\b(?:unique|primary key)\b(?! using))/gi;
  const drops = /\bdrop index\b/i.test(code);
  const indexed = namesOf(code, made).filter((table) => drops || altered.has(table));
  return [...indexed, ...namesOf(code, constrained)].filter((table) => !own.has(table));
}

const isMixed = (file: Source) => madeUnderLock(textOf(file)).length > 0;

function namesOf(text: string, written: RegExp): readonly string[] {
  return [...text.matchAll(written)].map(([, name = '']) => name);
}

const migrations = sources('up.sql', 'down.sql').filter(({ path }) =>
  path.includes('/migrations/'),
);
const textOf = (file: Source) => file.lines.join('\n');
const numberOf = ({ path }: Source) => Number(/\/(\d+)_[^/]*$/.exec(path)?.[1]);

test('no migration makes an index of a table in use that it locks readers out of', (t) => {
  const late = migrations.filter((file) => numberOf(file) > lastBefore && isMixed(file));

  t.true(migrations.length > lastBefore);
  t.deepEqual(
    late.map(({ path }) => path),
    [],
  );
});

test('what held up readers once would be caught', (t) => {
  const found = migrations.filter((file) => file.path.endsWith('.up.sql') && isMixed(file));
  for (const number of [17, 37, 46, 58, 65, 66]) t.true(found.map(numberOf).includes(number));

  t.deepEqual(madeUnderLock('create index a on b (c);'), []);
  t.deepEqual(madeUnderLock('drop index a; -- create index a on b (c);'), []);
  t.deepEqual(
    madeUnderLock('drop index a;\ncreate table b (c int);\ncreate index d on b (c);'),
    [],
  );
  t.deepEqual(madeUnderLock('create unique index d\n  on rt.b (c);\ndrop index a;'), ['rt.b']);
  t.deepEqual(madeUnderLock('alter table b add column c int;\ncreate index d on b (c);'), ['b']);
  t.deepEqual(madeUnderLock('alter table a add column c int;\ncreate index d on b (c);'), []);
  t.deepEqual(madeUnderLock('alter table b add column c int;\ncreate index on b (c);'), ['b']);
  t.deepEqual(madeUnderLock('alter table b add constraint u unique (c);'), ['b']);
  t.deepEqual(madeUnderLock('alter table b add column c int unique;'), ['b']);
  t.deepEqual(madeUnderLock('alter table b add constraint u unique using index i;'), []);
});
