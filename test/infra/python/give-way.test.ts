import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCodeFingerprinter } from '../../../infra/python/code-fingerprinter.ts';
import { startJudgeChild } from '../../../infra/python/cpython/judge-child.ts';
import { haveGiveWay } from '../../../infra/python/give-way.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';

/** How nice each thread of a process is, in the order of their start. Linux alone tells that. */
async function nicenessOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
  // After the name in brackets, which may hold spaces: the nineteenth field of all.
  return (await Promise.all(stats)).map((stat) =>
    Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]),
  );
}

const countOf = (all: readonly number[], niceness: number) =>
  all.filter((each) => each === niceness).length;

const onLinux = process.platform === 'linux' ? test.serial : test.serial.skip;

onLinux('the threads that read files give way, and none that answers does', async (t) => {
  const before = await nicenessOf(process.pid);
  t.is(countOf(before, 5), 0);
  const analyser = createCodeAnalyser();
  t.teardown(() => analyser.stop());
  await analyser.start();
  t.is(countOf(await nicenessOf(process.pid), 5), 1);

  const fingerprinter = createCodeFingerprinter(systemClock);
  t.teardown(() => fingerprinter.rest());
  await fingerprinter.read(Buffer.from('x = 1\n'));

  const after = await nicenessOf(process.pid);
  t.is(countOf(after, 5), 2);
  t.is(countOf(after, 0), after.length - 2);
  t.is(getPriority(), 0);
});

onLinux('the process of CPython gives way, and the thread in which CPython runs', async (t) => {
  const child = await startJudgeChild({ deadlineMs: 10_000, clock: systemClock });
  t.teardown(() => child.kill());

  const all = await nicenessOf(child.pid ?? 0);

  t.is(all[0], 5);
  t.is(all.at(-1), 5);
});

test('where niceness is refused nothing is lost but that', (t) => {
  const nobody = 2 ** 30;
  t.throws(() => getPriority(nobody));
  t.notThrows(() => haveGiveWay(nobody));
});
