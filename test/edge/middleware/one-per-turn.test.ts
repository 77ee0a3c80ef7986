import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { OnePerTurn } from '../../../apps/edge/middleware/one-per-turn.ts';

test('a burst takes a turn each, in its order, and each in its own context', async (t) => {
  const turns = new OnePerTurn();
  const traces = new AsyncLocalStorage<number>();
  const done: (number | undefined)[] = [];
  for (let at = 0; at < 5; at += 1) {
    traces.run(at, () => turns.add(() => done.push(traces.getStore())));
  }
  t.deepEqual(done, []);
  for (let turn = 1; turn <= 5; turn += 1) {
    await nextTurn();
    t.true(done.length <= turn, 'what is ready otherwise goes between');
  }
  while (done.length < 5) await nextTurn();
  t.deepEqual(done, [0, 1, 2, 3, 4]);
});

test('a task may add another', async (t) => {
  const turns = new OnePerTurn();
  const both = Promise.withResolvers<void>();
  turns.add(() => turns.add(both.resolve));
  await both.promise;
  t.pass();
});
