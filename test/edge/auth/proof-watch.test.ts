import test from 'ava';
import { ProofWatch } from '../../../apps/edge/auth/proof-watch.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

function world(read: () => Promise<unknown>) {
  const clock = new ManualClock();
  const registrations = { isBlind: false };
  const watch = new ProofWatch({ read, registrations, clock, log: silentLogger });
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

test('a database that says nothing at all proves nobody either', async (t) => {
  let isSilent = false;
  const silence = Promise.withResolvers<void>();
  const { clock, watch } = world(() => (isSilent ? silence.promise : Promise.resolve()));
  await watch.start();
  isSilent = true;
  await clock.advance(4_000);
  t.false(watch.isAble);

  // The answer to a question of long ago.
  silence.resolve();
  await new Promise(setImmediate);
  t.false(watch.isAble);
  isSilent = false;
  await clock.advance(1_000);
  t.true(watch.isAble);
  await watch.stop();
});

test('a chain that leaves everybody unknown is as bad', async (t) => {
  const { registrations, watch } = world(async () => undefined);
  await watch.start();
  registrations.isBlind = true;
  t.false(watch.isAble);
  await watch.stop();
});
