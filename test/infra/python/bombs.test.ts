import { fork } from 'node:child_process';
import process from 'node:process';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createPythonJudge } from '../../../infra/python/cpython/python-judge.ts';
import { leaseJudge } from '../../../infra/python/cpython/shared-judge.ts';
import { until } from '../../support/until.ts';
import { bombs } from './bombs.ts';

const judge = createPythonJudge({ deadlineMs: 2000, clock: systemClock });
test.after.always(() => judge.rest());
const honest = Buffer.from('x = 1\n');
// Long enough to be killed in the middle of.
const long = Buffer.from(`x = [${'1, '.repeat(100_000)}]\n`);
const isAlive = (pid: number | undefined) => {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

// All of them, with what they cost: `npm run proof:python`.
const quick = ['signs without end', 'sums without end'];

test.serial('a bomb costs CPython itself at most, and the next file nothing', async (t) => {
  for (const name of quick) {
    const judgement = await judge.judge(Buffer.from(bombs[name] ?? ''));

    t.true(judgement.kind !== 'parses', name);
    t.deepEqual(await judge.judge(honest), { kind: 'parses' }, name);
  }
});

test.serial('a file whose process is killed is judged by the next one', async (t) => {
  await judge.judge(honest);
  const first = judge.pid();
  const judged = judge.judge(long);
  if (first !== undefined) process.kill(first, 'SIGKILL');

  t.deepEqual(await judged, { kind: 'parses' });
  t.not(judge.pid(), first);
  t.false(isAlive(first));
  t.deepEqual(await judge.judge(honest), { kind: 'parses' });
});

test.serial(
  'a file whose every process is killed is refused, and the next one judged',
  async (t) => {
    await judge.judge(honest);
    let isJudged = false;
    const judged = judge.judge(long).finally(() => {
      isJudged = true;
    });
    const killed = new Set<number>();
    await until(() => {
      const pid = judge.pid();
      if (pid !== undefined && !killed.has(pid) && killed.size < 2) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
      return isJudged;
    }, 50_000);

    t.deepEqual(await judged, { kind: 'exhausted', what: 'memory' });
    t.deepEqual(await judge.judge(honest), { kind: 'parses' });
  },
);

test.serial('processes are replaced after a number of files', async (t) => {
  const worn = createPythonJudge({ deadlineMs: 2000, clock: systemClock, filesMax: 1 });
  t.teardown(() => worn.rest());
  await worn.judge(honest);
  const first = worn.pid();
  await worn.judge(honest);

  t.true(first === undefined || !isAlive(first));
});

test.serial('all who lease a judge share one process, and the last one ends it', async (t) => {
  const [one, other] = [leaseJudge(1999), leaseJudge(1999)];
  await one.judge(honest);
  const pid = one.pid();

  t.is(other.pid(), pid);
  await one.release();
  t.true(isAlive(pid));
  await other.release();
  t.false(isAlive(pid));
});

test.serial('CPython does not outlive the process that asked it', async (t) => {
  const asker = fork(new URL('../../support/judge-asker.ts', import.meta.url), { execArgv: [] });
  const pid = await new Promise<number>((resolve) => asker.once('message', resolve));
  t.true(isAlive(pid));
  asker.kill('SIGKILL');

  await until(() => !isAlive(pid), 30_000);
  t.pass();
});
