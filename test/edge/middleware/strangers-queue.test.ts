import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { StrangersQueue } from '../../../apps/edge/middleware/strangers-queue.ts';

const open = { destroyed: false } as Socket;
const ended = { destroyed: true } as Socket;

function queueAt() {
  const now = { ms: 0 };
  return { now, queue: new StrangersQueue(() => now.ms) };
}

test('a burst takes a turn each, in its order, and each in its own context', async (t) => {
  const { queue } = queueAt();
  const traces = new AsyncLocalStorage<number>();
  const done: (number | undefined)[] = [];
  for (let at = 0; at < 5; at += 1) {
    traces.run(at, () => queue.add('proof', open, () => done.push(traces.getStore())));
  }
  t.deepEqual(done, []);
  for (let turn = 1; turn <= 5; turn += 1) {
    await nextTurn();
    t.true(done.length <= turn, 'what is ready otherwise goes between');
  }
  while (done.length < 5) await nextTurn();
  t.deepEqual(done, [0, 1, 2, 3, 4]);
});

test('strangers are served for a quarter of what others took, up to a millisecond', async (t) => {
  const { now, queue } = queueAt();
  const servedPerTurn = async (othersMs: number) => {
    let served = 0;
    const begin = () => {
      served += 1;
      now.ms += 1 / 4;
    };
    for (let at = 0; at < 30; at += 1) queue.add('proof', open, begin);
    now.ms += othersMs;
    await nextTurn();
    const inOneTurn = served;
    while (served < 30) await nextTurn();
    return inOneTurn;
  };
  t.is(await servedPerTurn(0), 1);
  t.is(await servedPerTurn(3), 3);
  t.is(await servedPerTurn(200), 4);
});

test('who brings the next with him makes no second turn of it', async (t) => {
  const { queue } = queueAt();
  let begun = 0;
  const begin = () => {
    begun += 1;
    if (begun < 20) queue.add('proof', open, begin);
    if (begun === 1)
      for (let at = 0; at < 20; at += 1) queue.add('proof', open, () => (begun += 1));
  };
  queue.add('proof', open, begin);
  for (let turn = 1; turn <= 20; turn += 1) {
    await nextTurn();
    t.true(begun <= turn);
  }
});

test('so many wait, and the connections that ended take no turn', async (t) => {
  const { queue } = queueAt();
  let begun = 0;
  const begin = () => {
    begun += 1;
  };
  for (let at = 0; at < 1023; at += 1) t.true(queue.add('proof', ended, begin));
  t.true(queue.add('proof', open, begin));
  t.false(queue.add('proof', open, begin));
  await nextTurn();
  await nextTurn();
  t.is(begun, 1);
  t.true(queue.add('proof', open, begin));
});

test('reads and proofs take turns, and fill no place of each other', async (t) => {
  const { now, queue } = queueAt();
  const begun: string[] = [];
  const begin = (what: string) => () => {
    begun.push(what);
    now.ms += 1;
  };
  for (let at = 0; at < 1024; at += 1) t.true(queue.add('proof', open, begin('proof')));
  t.false(queue.add('proof', open, begin('proof')));
  for (let at = 0; at < 3; at += 1) t.true(queue.add('read', open, begin('read')));
  while (begun.length < 6) await nextTurn();
  t.is(begun.slice(0, 6).filter((what) => what === 'read').length, 3);
});

test('a crowd of reads is as long as it can be served soon, and of proofs so many wait anyway', async (t) => {
  const { now, queue } = queueAt();
  const begin = () => {
    now.ms += 1;
  };
  for (let at = 0; at < 80; at += 1) t.true(queue.add('read', open, begin));
  t.true(queue.add('proof', open, begin));
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  t.true(queue.isFull('read'), 'one in a millisecond');
  t.false(queue.add('read', open, begin));
  t.true(queue.add('proof', open, begin));
  while (queue.isFull('read')) await nextTurn();
  t.true(queue.add('read', open, begin), 'they were served meanwhile');
});

test('a pause of this process is no crowd', async (t) => {
  const { now, queue } = queueAt();
  const begin = () => undefined;
  for (let at = 0; at < 80; at += 1) queue.add('read', open, begin);
  await nextTurn();
  now.ms += 500;
  await nextTurn();
  t.true(queue.add('read', open, begin));
});

test.serial('what is thrown stops nobody behind it', async (t) => {
  const { queue } = queueAt();
  const theirs = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  t.teardown(() => {
    for (const listener of theirs) process.on('uncaughtException', listener);
  });
  const thrown = Promise.withResolvers<unknown>();
  const behind = Promise.withResolvers<void>();
  process.once('uncaughtException', thrown.resolve);
  queue.add('proof', open, () => {
    throw new Error('mine');
  });
  queue.add('proof', open, behind.resolve);
  t.is(String(await thrown.promise), 'Error: mine');
  await behind.promise;
});
