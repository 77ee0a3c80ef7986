import test from 'ava';
import { randomId } from '../../infra/ids/ids.ts';
import { Kernel } from './kernel/kernel.ts';
import { seededRandomness } from './kernel/seeded-randomness.ts';
import { SimProcess } from './kernel/sim-process.ts';
import { Trace } from './kernel/trace.ts';

function kernelOf(seed: number): Kernel {
  return new Kernel({ seed, startMs: 0, trace: new Trace() });
}

/** Three processes that wake each other in an order that only the seed knows. */
async function play(seed: number): Promise<{ readonly hash: string; readonly order: string }> {
  const kernel = kernelOf(seed);
  using _ = seededRandomness(kernel.randomFor('ids'));
  const order: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const process = new SimProcess(kernel, name);
    process.clock.every(10, async () => {
      await process.clock.sleep(5);
      order.push(`${name} ${randomId()}`);
    });
  }
  await kernel.run({ ms: 1_000 });
  return { hash: kernel.trace.hash, order: order.join() };
}

test('the same seed gives the same trace, and another seed another', async (t) => {
  const first = await play(7);
  t.deepEqual(await play(7), first);
  t.not((await play(8)).hash, first.hash);
});

test('time stands still while an event waits for real work', async (t) => {
  const kernel = kernelOf(1);
  const seen: string[] = [];
  kernel.after(5, 'works', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(`worked at ${kernel.nowMs}`);
  });
  kernel.after(6, 'comes later', () => void seen.push(`came at ${kernel.nowMs}`));
  await kernel.run({ ms: 10 });
  t.deepEqual(seen, ['worked at 5', 'came at 6']);
  t.is(kernel.nowMs, 10);
});

test('what came to a stopped process is taken in its order when it goes on', async (t) => {
  const kernel = kernelOf(1);
  const process = new SimProcess(kernel, 'stopped');
  const taken: string[] = [];
  process.pause(100);
  for (const [index, name] of ['first', 'second', 'third'].entries()) {
    process.resume(1 + index, name, () => void taken.push(`${name} ${Math.floor(kernel.nowMs)}`));
  }
  await kernel.run({ ms: 99 });
  t.deepEqual(taken, []);
  await kernel.run({ ms: 10 });
  t.deepEqual(taken, ['first 100', 'second 100', 'third 100']);
});

test('nothing of a killed process goes on', async (t) => {
  const kernel = kernelOf(1);
  const process = new SimProcess(kernel, 'killed');
  let wokeUp = false;
  void process.clock.sleep(10).then(() => {
    wokeUp = true;
  });
  kernel.after(5, 'kill', () => process.kill());
  await kernel.run({ ms: 100 });
  t.false(wokeUp);
});

test('a jump moves the clock of the domain alone', async (t) => {
  const kernel = kernelOf(1);
  const process = new SimProcess(kernel, 'p');
  kernel.jump(3_600_000);
  t.is(kernel.domainNowMs, 3_600_000);
  t.is(process.clock.nowMs(), 0);
  t.is(process.clock.monotonicMs(), 0);
});
