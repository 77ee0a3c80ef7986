import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import test from 'ava';
import { logLinesTo } from '../../../infra/telemetry/log-lines.ts';

test('a process outlives the reader of its log', async (t) => {
  const module = new URL('../../../infra/telemetry/log-lines.ts', import.meta.url);
  const script = `
    import { logLinesTo } from '${module}';
    const write = logLinesTo(process.stderr);
    process.on('message', (count) => {
      for (let line = 0; line < count; line += 1) write('a line\\n');
      setImmediate(() => process.send('alive'));
    });
    process.once('disconnect', () => process.exit(7));
    process.send('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  await once(child, 'message');
  child.stderr?.destroy();

  for (let round = 0; round < 3; round += 1) {
    child.send(10);
    t.deepEqual(await once(child, 'message').then(([said]) => said), 'alive');
  }
  child.disconnect();
  t.deepEqual(await once(child, 'exit'), [7, null]);
});

test('a reader that hangs costs lines, and is told how many', async (t) => {
  const taken: string[] = [];
  let isHanging = true;
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      taken.push(String(chunk));
      if (isHanging) waiting.push(done);
      else done();
    },
  });
  const write = logLinesTo(stream);
  const line = `${'x'.repeat(1_023)}\n`;
  for (let count = 0; count < 10_000; count += 1) write(line);
  t.true(stream.writableLength < 4.1 * 1024 * 1024, `${stream.writableLength}`);

  const drained = once(stream, 'drain');
  isHanging = false;
  for (const done of waiting) done();
  await drained;
  write('the next\n');

  const kept = taken.filter((each) => each === line).length;
  const note = JSON.parse(taken.at(-2) ?? '') as { message: string; count: number };
  t.is(note.message, 'log lines were dropped');
  t.is(note.count, 10_000 - kept);
  t.is(taken.at(-1), 'the next\n');
});
