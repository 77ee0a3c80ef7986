import test from 'ava';
import { builtinNames } from '../../../infra/python/builtin-names.ts';
import { startCPython } from '../../support/cpython.ts';

test('the names of builtins are those of CPython', async (t) => {
  const python = startCPython();
  t.teardown(() => python.dispose());

  const answer = await python.run('import builtins\nR = " ".join(dir(builtins))');

  t.true(answer.ok);
  const told = answer.ok ? (answer.value ?? '').slice(1, -1).split(' ') : [];
  const keywords = new Set(['None', 'True', 'False']);
  t.deepEqual(
    told.filter((name) => !name.startsWith('__') && !keywords.has(name)).toSorted(),
    [...builtinNames].toSorted(),
  );
});
