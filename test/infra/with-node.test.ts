import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test, { type ExecutionContext } from 'ava';

const withNode = join(import.meta.dirname, '../../infra/with-node.mjs');
const untilStopped = pathToFileURL(join(import.meta.dirname, '../../apps/until-stopped.ts')).href;

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

/** A process that drains for a moment when it is stopped, and says so. */
const draining = `
  import { endWithParent, untilStopped } from ${JSON.stringify(untilStopped)};
  endWithParent(process);
  const beat = setInterval(() => {}, 1000);
  const stopped = untilStopped(process);
  console.log('up ' + process.pid);
  await stopped;
  clearInterval(beat);
  setTimeout(() => console.log('drained'), 300);
`;

async function startDraining(t: ExecutionContext) {
  const child = spawn(process.execPath, [withNode, '--input-type=module', '--eval', draining], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, as a service manager and a terminal make it.
    detached: true,
  });
  const pid = child.pid ?? 0;
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += String(chunk);
  });
  const ended = once(child.stdout, 'end').then(() => said);
  const [line] = await once(child.stdout, 'data');
  const inner = Number(String(line).split(' ')[1]);
  t.teardown(() => {
    for (const each of [pid, inner]) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // Gone, as it should be.
      }
    }
  });
  return { child, pid, ended };
}

test('a stop of the whole group lets the script drain, though it hears of it twice', async (t) => {
  const { child, pid, ended } = await startDraining(t);

  process.kill(-pid, 'SIGTERM');
  const [code] = await once(child, 'exit');

  t.is(code, 0);
  t.regex(await ended, /drained/);
});

test('a script whose wrapper was killed drains and ends', async (t) => {
  const { pid, ended } = await startDraining(t);

  process.kill(pid, 'SIGKILL');

  // Its output ends when the last process that holds it does.
  t.regex(await ended, /drained/);
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
