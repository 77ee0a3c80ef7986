import test from 'ava';
import type { NewcomersWay } from '../../../apps/edge/auth/newcomer.ts';
import { ProofWatch } from '../../../apps/edge/auth/proof-watch.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

function world(prove: () => Promise<unknown>, change: Partial<NewcomersWay> = {}) {
  const clock = new ManualClock();
  const registrations = { isBlind: false, knowsNobody: false, look: async () => undefined };
  const opened: boolean[] = [];
  const nothing = async () => undefined;
  const proof = async () => void (await prove());
  const watch: ProofWatch = new ProofWatch({
    way: { turn: nothing, proof, nonce: nothing, ...change },
    onOpened: () => opened.push(watch.isAble),
    ...{ registrations, clock, log: silentLogger },
  });
  return { clock, opened, registrations, watch };
}

const letIn = async () => undefined;

test('an edge whose database fails is unable after three seconds, and able with the next read', async (t) => {
  let isDown = false;
  const { clock, watch } = world(async () => {
    if (isDown) throw new Error('no database');
  });
  t.false(watch.isAble, 'nothing was read yet');
  await watch.start();
  t.true(watch.isAble);

  isDown = true;
  await clock.advance(2_999);
  t.true(watch.isAble);
  await clock.advance(1);
  t.false(watch.isAble);

  isDown = false;
  await clock.advance(1_000);
  t.true(watch.isAble);
  await watch.stop();
});

test('how long one waits is told while he waits, and until the next one was let in', async (t) => {
  const gate = { isOpen: true, opened: Promise.withResolvers<void>() };
  const { clock, watch } = world(() => (gate.isOpen ? Promise.resolve() : gate.opened.promise));
  await watch.start();
  t.is(watch.waitMs, 0);
  gate.isOpen = false;
  await clock.advance(1_000);
  t.is(watch.waitMs, 0);
  await clock.advance(12_000);
  t.is(watch.waitMs, 12_000);
  t.true(watch.isAble, 'late is not never');

  gate.opened.resolve();
  await new Promise(setImmediate);
  t.is(watch.waitMs, 12_000);
  gate.isOpen = true;
  await clock.advance(1_000);
  t.is(watch.waitMs, 0);
  await watch.stop();
});

test('one that would let callers in after they have gone lets nobody in', async (t) => {
  const gate = { isOpen: true, opened: Promise.withResolvers<void>() };
  const { clock, watch } = world(() => (gate.isOpen ? Promise.resolve() : gate.opened.promise));
  await watch.start();
  gate.isOpen = false;
  await clock.advance(1_000 + 29_999);
  t.true(watch.isAble);
  await clock.advance(1);
  t.false(watch.isAble, 'a database that says nothing at all is as bad');

  gate.opened.resolve();
  await new Promise(setImmediate);
  t.false(watch.isAble, 'an answer to a question of long ago');
  gate.isOpen = true;
  await clock.advance(1_000);
  t.true(watch.isAble);
  await watch.stop();
});

test('a slow edge is not silent for one failure, and its wait is not forgotten by it', async (t) => {
  let next = Promise.withResolvers<void>();
  const { clock, watch } = world(() => next.promise);
  next.resolve();
  await watch.start();
  next = Promise.withResolvers<void>();
  await clock.advance(13_000);
  next.resolve();
  await new Promise(setImmediate);

  next = Promise.withResolvers<void>();
  next.promise.catch(() => undefined);
  next.reject(new Error('no connection'));
  await clock.advance(1_000);
  t.true(watch.isAble);
  t.is(watch.waitMs, 12_000);
  await clock.advance(1_999);
  t.true(watch.isAble);
  await clock.advance(1);
  t.false(watch.isAble, 'several are no chance');
  await watch.stop();
});

test('a chain that leaves everybody unknown is as bad', async (t) => {
  const { registrations, watch } = world(letIn);
  await watch.start();
  t.is(watch.trouble, undefined);
  t.true(watch.speaksForAll('signature'));
  registrations.isBlind = true;
  t.false(watch.isAble);
  t.false(watch.speaksForAll('signature'), 'who has grace left speaks for nobody else');
  t.is(watch.trouble, undefined, 'and is served');
  registrations.knowsNobody = true;
  t.regex(watch.trouble ?? '', /chain/);
  await watch.stop();
});

test('an edge that records no nonce is unable, though sessions would be let in', async (t) => {
  let isFull = false;
  const nonce = async () => {
    if (isFull) throw new Error('no room');
  };
  const { clock, opened, watch } = world(letIn, { nonce });
  await watch.start();
  t.is(watch.trouble, undefined);
  isFull = true;
  await clock.advance(2_999);
  t.is(watch.trouble, undefined, 'one failure may be chance');
  t.false(watch.isForSessionsAlone);
  await clock.advance(1);
  t.false(watch.isAble);
  t.true(watch.isForSessionsAlone);
  t.is(watch.trouble, 'signed requests cannot be recorded');

  isFull = false;
  opened.splice(0);
  await clock.advance(1_000);
  t.deepEqual(opened, [true], 'hosts hear of it at once');
  t.is(watch.trouble, undefined);
  await watch.stop();
});

test('after a time in which nobody was let in, it is told that sessions are', async (t) => {
  let isDown = true;
  const down = async () => {
    if (isDown) throw new Error('no database');
  };
  const full = async () => {
    throw new Error('no room');
  };
  const { clock, opened, watch } = world(down, { nonce: full });
  await watch.start();
  await clock.advance(5_000);
  t.is(watch.trouble, 'callers cannot be proved');
  t.false(watch.isForSessionsAlone);
  t.deepEqual(opened, []);

  isDown = false;
  await clock.advance(5_000);
  t.deepEqual(opened, [false], 'once');
  t.true(watch.isForSessionsAlone);
  await watch.stop();
});

test('what a flood brings about is told to hosts, and turns no health check red', async (t) => {
  const gate = { isOpen: true, opened: Promise.withResolvers<void>() };
  let isFull = false;
  const { clock, watch } = world(
    async () => {
      if (isFull) throw new Fault('OVERLOADED', 'too many signatures');
    },
    { turn: () => (gate.isOpen ? Promise.resolve() : gate.opened.promise) },
  );
  await watch.start();
  gate.isOpen = false;
  await clock.advance(40_000);
  t.false(watch.isAble);
  t.is(watch.trouble, undefined);

  isFull = true;
  gate.isOpen = true;
  gate.opened.resolve();
  await clock.advance(5_000);
  t.false(watch.isAble);
  t.is(watch.trouble, undefined);
  await watch.stop();
});

test('who has had his turn and hears nothing waits for us', async (t) => {
  let answer = Promise.resolve();
  const { clock, watch } = world(() => answer);
  await watch.start();
  answer = new Promise(() => undefined);
  await clock.advance(1_000 + 29_999);
  t.is(watch.trouble, undefined);
  await clock.advance(1);
  t.is(watch.trouble, 'nobody is let in within thirty seconds');
  await watch.stop();
});

test('a start waits for the first try, but not for ever, and it goes on alone', async (t) => {
  const tries: PromiseWithResolvers<void>[] = [];
  const { clock, watch } = world(() => {
    const next = Promise.withResolvers<void>();
    tries.push(next);
    return next.promise;
  });
  const started = watch.start();
  await clock.advance(5_000);
  await started;
  t.regex(watch.trouble ?? '', /yet/);
  await clock.advance(5_000);
  t.is(tries.length, 1);
  tries[0]?.resolve();
  await new Promise(setImmediate);
  t.true(watch.isAble);
  t.is(watch.trouble, undefined);
  await watch.stop();
});
