import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import test from 'ava';
import { everyMutant } from '../mutants/every-mutant.ts';
import { planted } from '../mutants/plant.ts';
import { imports, offences, type Source, source, sources } from './sources.ts';

const root = join(import.meta.dirname, '../..');
const production = /^(actors|apps|infra|machines)\//;
const edits = everyMutant.flatMap(({ id, edits: own }) => own.map((edit) => ({ id, edit })));

function* traces(file: Source): Generator<string> {
  if (!production.test(file.path)) return;
  for (const [index, line] of file.lines.entries()) {
    if (/PADDOCK_PLANTED|test\/mutants/.test(line)) yield `${index + 1}: ${line.trim()}`;
  }
  for (const imported of imports(file)) if (/^test\//.test(imported)) yield imported;
}

test('the product knows nothing of planted defects', (t) => {
  t.deepEqual(offences(sources('ts', 'mjs', 'sql'), traces), []);
});

test('a product that asks for a planted defect is caught', (t) => {
  const asking = source('infra/planted.ts', `if (process.env.PADDOCK_PLANTED) throw new Error();`);
  const importing = source('actors/planted.ts', `import { a } from '../test/mutants/plant.ts';`);
  t.is(offences([asking], traces).length, 1);
  t.is(offences([importing], traces).length, 2);
});

test('at least twenty defects are planted, each under a name of its own', (t) => {
  t.true(everyMutant.length >= 20);
  t.is(new Set(everyMutant.map(({ id }) => id)).size, everyMutant.length);
  t.deepEqual(
    everyMutant.filter((mutant) => mutant.edits.length === 0 || mutant.signs.length === 0),
    [],
  );
});

test('what a planted defect changes stands exactly once in the file that it names', (t) => {
  for (const { id, edit } of edits) {
    const text = readFileSync(join(root, edit.file), 'utf8');
    t.regex(edit.file, production, id);
    t.is(text.split(edit.snippet).length, 2, `${id} in ${edit.file}: ${edit.snippet}`);
  }
});

test('a source with a planted defect can still be read, and is another one', (t) => {
  for (const mutant of everyMutant) {
    const texts = new Map<string, string>();
    for (const edit of mutant.edits) {
      if ('statement' in edit || !edit.file.endsWith('.ts')) continue;
      const text = texts.get(edit.file) ?? readFileSync(join(root, edit.file), 'utf8');
      const changed = planted(text, edit);
      t.not(changed, text, mutant.id);
      texts.set(edit.file, changed);
    }
    for (const text of texts.values()) t.notThrows(() => stripTypeScriptTypes(text), mutant.id);
  }
});
