import test from 'ava';
import { type Source, sources } from './sources.ts';

/** Those before it were applied somewhere, so that their texts stay as they are. */
const lastBefore = 72;

/**
 * Tables that were there before, of which a file makes an index beside dropping one. What is dropped first stays
 * locked for readers as well while all that follows is made; a drop that comes last gives up while anybody reads,
 * and what was made until then is made again.
 */
function madeBesideDrop(text: string): readonly string[] {
  const code = text.replaceAll(/--.*$/gm, '');
  if (!/\bdrop index\b/i.test(code)) return [];
  const made = /\bcreate (?:unique )?index (?:if not exists )?\w+\s+on (?:only )?([a-z_.]+)/gi;
  const own = new Set(
    namesOf(code, /\bcreate (?:unlogged )?table (?:if not exists )?([a-z_.]+)/gi),
  );
  return namesOf(code, made).filter((table) => !own.has(table));
}

const isMixed = (file: Source) => madeBesideDrop(textOf(file)).length > 0;

function namesOf(text: string, written: RegExp): readonly string[] {
  return [...text.matchAll(written)].map(([, name = '']) => name);
}

const migrations = sources('up.sql', 'down.sql').filter(({ path }) =>
  path.includes('/migrations/'),
);
const textOf = (file: Source) => file.lines.join('\n');
const numberOf = ({ path }: Source) => Number(/\/(\d+)_[^/]*$/.exec(path)?.[1]);

test('no migration drops an index and makes one of a table that is in use', (t) => {
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

  t.deepEqual(madeBesideDrop('create index a on b (c);'), []);
  t.deepEqual(madeBesideDrop('drop index a; -- create index a on b (c);'), []);
  t.deepEqual(
    madeBesideDrop('drop index a;\ncreate table b (c int);\ncreate index d on b (c);'),
    [],
  );
  t.deepEqual(madeBesideDrop('create unique index d\n  on rt.b (c);\ndrop index a;'), ['rt.b']);
});
