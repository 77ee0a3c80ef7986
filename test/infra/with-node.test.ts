import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';

const withNode = join(import.meta.dirname, '../../infra/with-node.mjs');

function start(code: string) {
  return spawn(process.execPath, [withNode, '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('the exit code of the script is ours', async (t) => {
  const [code] = await once(start('process.exit(7)'), 'exit');

  t.is(code, 7);
});

test('a signal reaches the script, which ends in its own way', async (t) => {
  const child = start(
    `process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')`,
  );
  await once(child.stdout, 'data');

  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');

  t.is(code, 3);
});

test('a script that dies of a signal makes us die of it', async (t) => {
  const [code, signal] = await once(
    start(`process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`),
    'exit',
  );

  t.deepEqual([code, signal], [null, 'SIGTERM']);
});

test('the Node that runs the script is the first in its PATH', async (t) => {
  const child = start(`console.log(process.env.PATH.split(':')[0] + '/node' === process.execPath)`);

  const [line] = await once(child.stdout, 'data');

  t.is(String(line).trim(), 'true');
});
