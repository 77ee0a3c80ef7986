import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { claimPidFile, recordPid } from '../../../infra/local/pid-file.ts';

/** A process that runs, and what an earlier start wrote down of it, or of another with its number. */
async function recorded(t: ExecutionContext, changes: Readonly<Record<string, unknown>>) {
  const folder = await mkdtemp(join(tmpdir(), 'pid-file-'));
  const args = ['-e', 'setInterval(() => {}, 1000); console.log("up")'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  await once(child.stdout, 'data');
  const path = join(folder, 'edge-1.pid');
  await recordPid(path, child.pid ?? 0, args);
  const record = { ...JSON.parse(await readFile(path, 'utf8')), ...changes };
  await writeFile(path, JSON.stringify(record));
  return { path, child, ended };
}

// Above the largest process number that Linux gives out: whoever started it is gone.
const orphaned = { parentPid: 4_194_305 };

test('an orphan is ended before its folder is used again', async (t) => {
  const { path, ended } = await recorded(t, orphaned);

  await claimPidFile(path, 'edge-1');

  t.deepEqual(await ended, [null, 'SIGINT']);
  t.false(existsSync(path));
});

test('a process of another world that has the number, and the same arguments, lives on', async (t) => {
  const { path, child } = await recorded(t, { ...orphaned, started: 'another boot 7' });

  await claimPidFile(path, 'edge-1');

  t.true(child.kill(0));
  t.is(child.exitCode ?? child.signalCode, null);
  t.false(existsSync(path));
});

test('of a record without a start the arguments alone are compared', async (t) => {
  const { path, ended } = await recorded(t, { ...orphaned, started: undefined });

  await claimPidFile(path, 'edge-1');

  t.deepEqual(await ended, [null, 'SIGINT']);
});

test('a child whose parent lives keeps its folder', async (t) => {
  const { path } = await recorded(t, {});

  await t.throwsAsync(claimPidFile(path, 'edge-1'), { message: /^edge-1 already runs there/ });
});
