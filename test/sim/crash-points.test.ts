import test from 'ava';
import { DatabaseLink } from './database/database-link.ts';
import { type CrashPoint, Weather } from './faults/weather.ts';
import { Kernel } from './kernel/kernel.ts';
import { SimProcess } from './kernel/sim-process.ts';
import { Trace } from './kernel/trace.ts';
import { Counters } from './report/counters.ts';

/** A coordinator that commits once, and tells its asker; what became of it. */
async function commitThrough(point: CrashPoint) {
  const kernel = new Kernel({ seed: 5, startMs: 0, trace: new Trace() });
  const counters = new Counters();
  const weather = new Weather({ kernel, counters, kill: (process) => process.kill() });
  const process = new SimProcess(kernel, 'coordinator-1.1');
  const link = new DatabaseLink(process, weather);
  const done: string[] = [];
  weather.turnBad();
  weather.crashAt(point);
  void link
    .perform('commit', async () => {
      done.push('committed');
    })
    .then(() => {
      done.push('replied');
      weather.onPublished(process);
    });
  await kernel.run({ ms: 20_000 });
  return { done, isAlive: process.isAlive, crashes: counters.get(`fault: crash ${point}`) };
}

test('a crash before the commit leaves nothing', async (t) => {
  t.deepEqual(await commitThrough('before-commit'), { done: [], isAlive: false, crashes: 1 });
});

test('a crash after the commit leaves what was committed, told to nobody', async (t) => {
  const { done, ...rest } = await commitThrough('after-commit');
  t.deepEqual(done, ['committed']);
  t.deepEqual(rest, { isAlive: false, crashes: 1 });
});

test('a crash after publishing or after the reply comes when the answer is out', async (t) => {
  for (const point of ['after-publish', 'after-reply'] as const) {
    const { done, ...rest } = await commitThrough(point);
    t.deepEqual(done, ['committed', 'replied'], point);
    t.deepEqual(rest, { isAlive: false, crashes: 1 }, point);
  }
});

test('who is stopped at a commit sends it when it goes on', async (t) => {
  const { done, isAlive } = await commitThrough('stopped-at-commit');
  t.deepEqual([done, isAlive], [['committed', 'replied'], true]);
});
