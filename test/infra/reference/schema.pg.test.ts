import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Relation } from '../../../infra/reference/schema/catalogue.ts';
import { noteOf, ownerText } from '../../../infra/reference/schema/relation-text.ts';
import { schemaPages } from '../../../infra/reference/schema/schema-pages.ts';
import { tableNotes } from '../../../infra/reference/schema/table-notes.ts';
import { emptyDatabase } from '../../support/cluster.ts';

const reference = join(import.meta.dirname, '../../../infra/reference');

let pages: ReadonlyMap<string, string>;
test.before(async () => {
  pages = await schemaPages((await emptyDatabase()).url);
});

test('the pages of the schema show what the migrations make: npm run generate', (t) => {
  t.deepEqual(
    globSync('{schema.md,schema/*.{md,sql}}', { cwd: reference }).toSorted(),
    [...pages.keys()].toSorted(),
  );
  for (const [name, text] of pages) {
    t.is(readFileSync(join(reference, name), 'utf8'), text, name);
  }
});

test('every table and view has a place on one page, and no sentence is of one that is gone', (t) => {
  const told = [...pages.values()].flatMap((text) => [...text.matchAll(/^\| \[([a-z_.]+)\]/gm)]);
  const names = told.map(([, name = '']) => name);
  const places = [...pages]
    .filter(([name]) => /^schema\/(?!functions)/.test(name))
    .flatMap(([, text]) => [...text.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name));

  t.true(names.length > 60);
  t.deepEqual(names.toSorted(), Object.keys(tableNotes).toSorted());
  t.deepEqual(places.toSorted(), names.toSorted());
});

test('a function is told with the migration whose text of it holds', (t) => {
  const functions = pages.get('schema/functions.md') ?? '';

  // Made or changed by nine migrations.
  t.regex(functions, /^\| `eval_apply\(.*\| \[0087_terms_under_their_lock\]\S+ \| +\|$/m);
  // With the same body as an older one.
  t.regex(functions, /^\| `wall_clock\(\)`.*\[0013_clock\]/m);
  // Written by one, and told by another what the planner is to expect of it.
  t.regex(functions, /^\| `newest\(.*\| \[0005_eval_apply\]\S+ \| \[0028_newest_rows\]/m);
  // As the first migration made it: simulating a clock changes one database, and no schema.
  t.regex(functions, /^\| `clock\(\)`.*\[0001_runtime\]/m);
});

test('the texts of all functions stand in one file, as they are now', (t) => {
  const texts = pages.get('schema/functions.sql') ?? '';
  const made = [...texts.matchAll(/^CREATE OR REPLACE FUNCTION (\S+?)\(/gm)].map(
    ([, name]) => name,
  );

  t.is(made.filter((name) => name === 'public.eval_apply').length, 1);
  t.true(made.includes('rt.commit_parts'));
  const listed = (pages.get('schema/functions.md') ?? '').matchAll(/^\| `/gm);
  t.is(made.length, [...listed].length);
  // Who reads what happens now is not to guess what once came later.
  t.deepEqual(
    made.filter((name) => /_before_/.test(name ?? '')),
    [],
  );
});

const relation = (name: string, isView = false): Relation => ({
  ...{ name, isView, columns: [], rules: [], grants: [] },
});

test('a table that nobody says anything of is refused', (t) => {
  t.throws(() => noteOf('later'), { message: /does not say what later holds/ });
});

test('a table without an owner, or with two, is refused', (t) => {
  const refusal = { message: /needs one owner/ };
  t.throws(() => ownerText(relation('pack'), undefined), refusal);
  t.throws(() => ownerText(relation('race'), 'actors/services/packs/store.ts'), refusal);
  t.throws(() => ownerText(relation('race', true), undefined), refusal);

  t.is(ownerText(relation('audit.pins', true), undefined), 'nobody: a view');
});
