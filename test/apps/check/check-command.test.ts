import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'ava';

const root = join(import.meta.dirname, '../../..');
const main = join(root, 'apps/check/main.ts');

function check(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    ...{ cwd: root, encoding: 'utf8' },
  });
  return { status, stdout, stderr };
}

test('a file is judged, and the exit code is the verdict', (t) => {
  const good = check('apps/world/demo/agents/careful_shopper.py');
  t.is(good.status, 0, good.stderr);
  // Its own verdict counts, also when one after it is clean.
  const bad = check('infra/paddock.mjs', 'apps/world/demo/agents/careful_shopper.py');
  t.is(bad.status, 1, bad.stdout);
});

test('a line that is wrong says so, without a trace of ours', (t) => {
  const none = check();
  t.is(none.status, 2);
  t.regex(none.stderr, /^paddock: name at least one Python file/);

  const gone = check('no-such-file.py');
  t.is(gone.status, 2);
  t.regex(gone.stderr, /^paddock: no-such-file\.py cannot be read: /);
  t.notRegex(gone.stderr, /\n {4}at /);

  const help = check('--help');
  t.is(help.status, 0);
  t.regex(help.stdout, /^npm run check:agent -- FILE/);
});
