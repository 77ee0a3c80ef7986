import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  endText,
  type KeptProcess,
  keepRunning,
  type ProcessEnd,
} from '../../../apps/world/process-group.ts';
import { processesWith } from '../../support/processes-with.ts';
import { systemEnv } from '../../support/system-env.ts';
import { until } from '../../support/until.ts';

/** One that only sits there, and what it is told of it; pauses are noted and pass at once. */
async function keptProcess(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'process-group-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, 'sits.mjs');
  await writeFile(script, 'setInterval(() => {}, 1000);');
  const log = join(folder, 'logs', 'edge-1.log');
  const pidFile = join(folder, 'edge-1.pid');
  const plan = { name: 'edge-1', script, engineFlags: [], env: systemEnv(), log, pidFile };
  const told: ProcessEnd[] = [];
  const left: number[] = [];
  const pauses: number[] = [];
  const clock = {
    async sleep(ms: number) {
      pauses.push(ms);
      await new Promise(setImmediate);
    },
  };
  const onEnd = async (_ended: KeptProcess, end: ProcessEnd) => {
    // Who watches a failed start looks at what it left before the next one.
    if (end.failure !== undefined) left.push((await processesWith(script)).length);
    told.push(end);
  };
  const kept = await keepRunning(plan, onEnd, clock);
  t.teardown(() => kept.stop());
  return { kept, script, log, pidFile, told, left, pauses };
}

const isAgain = ({ kept }: { kept: KeptProcess }, before: number) => kept.pid !== before;

test('a process that cannot be started again is tried again, ever less often', async (t) => {
  const world = await keptProcess(t);
  const { kept, log, told, pauses } = world;
  const before = kept.pid;
  // No file can be opened there.
  await rm(log);
  await mkdir(log);

  process.kill(before, 'SIGKILL');
  await until(() => told.length >= 12);
  t.is(kept.pid, before);
  await rmdir(log);
  await until(() => isAgain(world, before));

  t.is(told[0]?.signal, 'SIGKILL');
  t.regex(endText(told[1] as ProcessEnd), /^could not be started again \(EISDIR/);
  t.deepEqual(pauses.slice(0, 5), [300, 600, 1200, 2400, 4800]);
  t.is(Math.max(...pauses), 30_000);
  t.is(endText(told[0] as ProcessEnd), 'ended with SIGKILL and is started again');
});

test('a folder of logs that is gone is there again with the process', async (t) => {
  const world = await keptProcess(t);
  const { kept, log, told } = world;
  const before = kept.pid;
  await rm(join(log, '..'), { recursive: true });

  process.kill(before, 'SIGKILL');
  await until(() => isAgain(world, before));

  t.true(existsSync(log));
  t.is(told.length, 1);
  t.is(kept.tail(), '');
});

test('of a start that fails after the process is there nothing is left', async (t) => {
  const world = await keptProcess(t);
  const { kept, pidFile, told, left } = world;
  const before = kept.pid;
  // Its number cannot be written down.
  await rm(pidFile);
  await mkdir(pidFile);

  process.kill(before, 'SIGKILL');
  await until(() => told.length >= 3);
  await rmdir(pidFile);
  await until(() => isAgain(world, before));

  t.deepEqual(new Set(left), new Set([0]));
});

test('a stop while it cannot be started leaves nothing, and ends the trying', async (t) => {
  const { kept, script, log, told } = await keptProcess(t);
  await rm(log);
  await mkdir(log);
  process.kill(kept.pid, 'SIGKILL');
  await until(() => told.length >= 2);

  await kept.stop();
  const after = told.length;
  await rmdir(log);

  t.deepEqual(await processesWith(script), []);
  t.is(told.length, after);
  t.false(existsSync(log));
});

test('the last lines of a log that is gone are none', async (t) => {
  const { kept, log } = await keptProcess(t);
  await rm(log);

  t.is(kept.tail(), '');
});
