import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openOutput } from '../../../infra/local/child-output.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';

const bytesMax = 10_000;
const lookEveryMs = 10_000;

/** A process that appends to its log what it is told to. */
async function writer(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'child-output-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'edge-1.log');
  const clock = new ManualClock();
  const disk = { freeBytes: Number.MAX_SAFE_INTEGER };
  const freeBytes = async () => disk.freeBytes;
  const output = await openOutput(path, { clock, bytesMax, freeBytes });
  const child = spawn('cat', [], { stdio: ['pipe', output.stdio, output.stdio] });
  output.attach(child);
  t.teardown(() => child.kill());
  const write = async (text: string) => {
    const before = statSync(path).size;
    child.stdin?.write(text);
    await until(() => statSync(path).size === before + text.length);
  };
  const end = async () => {
    child.stdin?.end();
    await once(child, 'exit');
  };
  /** One look at the log, to its end: only then does the clock hold the next one. */
  const look = async () => {
    await clock.advance(lookEveryMs);
    await until(() => clock.isAwaited(clock.monotonicMs() + lookEveryMs));
  };
  return { path, older: `${path}.1`, disk, output, write, look, end };
}

test('a log that has grown too long goes on in an empty one, and one older is kept', async (t) => {
  const { path, older, output, write, look, end } = await writer(t);
  const lines = (word: string) => `${word}\n`.repeat(bytesMax / 4);

  for (const word of ['first', 'second']) {
    await write(lines(word));
    await look();
    t.is(statSync(path).size, 0);
  }
  await write('third\nfourth\n');
  await look();
  await end();

  t.is(await readFile(older, 'utf8'), lines('second').slice(-bytesMax));
  t.is(await readFile(path, 'utf8'), 'third\nfourth\n');
  t.is(output.tail(), 'third\nfourth');
});

test('of one that is far too long the end is kept', async (t) => {
  const { path, older, write, look, end } = await writer(t);

  await write('a'.repeat(4 * bytesMax) + 'z'.repeat(bytesMax));
  await look();
  t.is(statSync(path).size, 0);
  await end();

  t.is(await readFile(older, 'utf8'), 'z'.repeat(bytesMax));
});

test('on a disk with little room a log is cut, and what was kept before stays', async (t) => {
  const { path, older, disk, write, look, end } = await writer(t);
  const lines = (word: string) => `${word}\n`.repeat(bytesMax / 4);

  for (const [word, freeBytes] of [
    ['first', 10 * bytesMax],
    ['second', 10 * bytesMax - 1],
  ] as const) {
    disk.freeBytes = freeBytes;
    await write(lines(word));
    await look();
    t.is(statSync(path).size, 0);
  }
  await end();

  t.is(await readFile(older, 'utf8'), lines('first').slice(-bytesMax));
});

test('a log that is too long at a start is cut there, whose process may end before the first look', async (t) => {
  const { path, older } = await writer(t);
  await writeFile(path, 'z'.repeat(bytesMax + 1));
  const limit = { clock: new ManualClock(), bytesMax, freeBytes: async () => 10 * bytesMax };

  const output = await openOutput(path, limit);
  const child = spawn('echo', ['last'], { stdio: ['ignore', output.stdio, output.stdio] });
  output.attach(child);
  await once(child, 'exit');

  t.is(await readFile(path, 'utf8'), 'last\n');
  t.is(await readFile(older, 'utf8'), 'z'.repeat(bytesMax));
  t.is(output.tail(), 'last');
});

test('a log that is not too long stays as it is', async (t) => {
  const { path, older, write, look, end } = await writer(t);

  await write('a'.repeat(bytesMax));
  await look();
  await end();

  t.is(statSync(path).size, bytesMax);
  t.false(existsSync(older));
});
