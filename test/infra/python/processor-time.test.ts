import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { faultOf } from '../../../apps/outage.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { AnalyserOverloaded } from '../../../infra/python/analyser-overloaded.ts';
import { processorTimeSpent } from '../../../infra/python/processor-time.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';

/** A thread that gets this share of a processor, as Linux would count it. */
function threadWith(share: number) {
  const startedAt = performance.now();
  const cpuUsage = () =>
    Promise.resolve({ user: (performance.now() - startedAt) * 1000 * share, system: 0 });
  return { cpuUsage: async (before?: { user: number }) => minus(await cpuUsage(), before?.user) };
}

const minus = ({ user }: { user: number }, before = 0) => ({ user: user - before, system: 0 });

const outcome = (share: number, signal = new AbortController().signal) =>
  processorTimeSpent(threadWith(share), { limitMs: 30, clock: systemClock, signal }, () => {});

test('a thread that used its time undisturbed spent it', async (t) => {
  t.is(await outcome(1), 'spent');
});

test('a thread that had to share its processor was disturbed', async (t) => {
  t.is(await outcome(0.3), 'disturbed');
});

test('a thread that says nothing of its time is ended by the wall clock as spent', async (t) => {
  t.is(await outcome(0), 'spent');
});

test('a thread that answered spent nothing', async (t) => {
  const answered = new AbortController();
  const asked = outcome(0.001, answered.signal);
  answered.abort();

  t.is(await asked, 'answered');
});

test('on a busy machine an honest file is asked for again and not called hostile', async (t) => {
  // Far too little for this file, so that its time is over on any machine.
  const hasty = createCodeAnalyser({ deadlineMs: 250 });
  const honest = Buffer.from('x = [1, 2, 3]\n'.repeat(40_000));
  // Until both lanes are up: one that starts while the others spin takes a minute.
  const small = Buffer.from('x = 1\n');
  const isJudged = () =>
    hasty.analyse(small).then(
      ({ kind }) => kind === 'clean',
      () => false,
    );
  while (!(await isJudged()));
  const spinning = `
    const { parentPort } = require('node:worker_threads');
    parentPort.postMessage('up');
    for (;;);`;
  const others = Array.from(
    { length: availableParallelism() * 4 },
    () => new Worker(spinning, { eval: true }),
  );
  const quiet = () => Promise.all(others.map((thread) => thread.terminate()));
  t.teardown(async () => {
    await quiet();
    await hasty.stop();
  });
  await Promise.all(others.map((thread) => new Promise((up) => thread.once('message', up))));

  const error = await t.throwsAsync(() => hasty.analyse(honest), {
    instanceOf: AnalyserOverloaded,
  });

  t.is(faultOf(error).code, 'OVERLOADED');
});
