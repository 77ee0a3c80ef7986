import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCodeFingerprinter } from '../../../infra/python/code-fingerprinter.ts';
import { startJudgeChild } from '../../../infra/python/cpython/judge-child.ts';
import { haveGiveWay, readersNiceness } from '../../../infra/python/give-way.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';

interface Thread {
  readonly name: string;
  readonly niceness: number;
}

/** Linux alone tells that, by thread. One that ends meanwhile is left out. */
async function threadsOf(pid: number): Promise<readonly Thread[]> {
  const ids = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(
    ids.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8').catch(() => '')),
  );
  return stats.flatMap((stat) => {
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    // The nineteenth field of all.
    return name === undefined ? [] : [{ name, niceness: Number(rest?.split(' ')[16]) }];
  });
}

/** Of the threads that this process or a child of it started for a program. */
async function nicenessOfWorkers(pid: number): Promise<readonly number[]> {
  const threads = await threadsOf(pid);
  return threads.filter(({ name }) => name === 'WorkerThread').map(({ niceness }) => niceness);
}

/** Whoever runs the tests may be nice himself. */
const own = getPriority(process.pid);

const onLinux = process.platform === 'linux' ? test.serial : test.serial.skip;

onLinux('the threads that read files give way, and the one that answers does not', async (t) => {
  const analyser = createCodeAnalyser();
  t.teardown(() => analyser.stop());
  await analyser.start();
  const fingerprinter = createCodeFingerprinter(systemClock);
  t.teardown(() => fingerprinter.rest());
  await fingerprinter.read(Buffer.from('x = 1\n'));

  t.deepEqual(await nicenessOfWorkers(process.pid), [own + 5, own + 5]);
  t.is(getPriority(process.pid), own);
});

onLinux('the process of CPython gives way, and the thread in which CPython runs', async (t) => {
  const child = await startJudgeChild({ deadlineMs: 10_000, clock: systemClock });
  t.teardown(() => child.kill());
  const pid = child.pid ?? 0;

  t.is(getPriority(pid), own + 5);
  t.deepEqual(await nicenessOfWorkers(pid), [own + 5]);
});

test('where niceness is refused nothing is lost but that', (t) => {
  const nobody = 2 ** 30;
  t.throws(() => getPriority(nobody));
  t.notThrows(() => haveGiveWay(nobody));
});

// A service that was started with a niceness of ten would otherwise be slower than its own readers.
onLinux('readers of a process that is nice itself give way to it', async (t) => {
  setPriority(process.pid, own + 3);
  const child = await startJudgeChild({ deadlineMs: 10_000, clock: systemClock });
  t.teardown(() => child.kill());
  const pid = child.pid ?? 0;

  t.is(getPriority(pid), own + 8);
  t.deepEqual(await nicenessOfWorkers(pid), [own + 8]);
  setPriority(process.pid, 18);
  t.is(readersNiceness(), 19);
});
