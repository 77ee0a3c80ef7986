import test from 'ava';
import { ProofWatch } from '../../../apps/edge/auth/proof-watch.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

function world(prove: () => Promise<unknown>) {
  const clock = new ManualClock();
  const registrations = { isBlind: false };
  const watch = new ProofWatch({ prove, registrations, clock, log: silentLogger });
  return { clock, registrations, watch };
}

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
  const { registrations, watch } = world(async () => undefined);
  await watch.start();
  registrations.isBlind = true;
  t.false(watch.isAble);
  await watch.stop();
});
