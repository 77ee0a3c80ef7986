import test from 'ava';
import { persistently } from '../../../actors/services/credentials/persistently.ts';
import { Fault } from '../../../machines/fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A store each attempt at which takes two seconds, and the first ones of which fail. */
function slowStore(clock: ManualClock, failures: number) {
  let attempts = 0;
  const store = async () => {
    attempts += 1;
    void clock.advance(2_000);
    if (attempts <= failures) throw new Error('the connection is gone');
    return attempts;
  };
  return { store, attempts: () => attempts };
}

async function storing(clock: ManualClock, ms: number, store: () => Promise<number>) {
  const outcome = persistently(clock, ms, store).catch((error: Error) => error.message);
  for (let step = 0; step < 50; step++) await clock.advance(1_000);
  return await outcome;
}

test('a store whose only failure took all of the time is asked once more', async (t) => {
  const clock = new ManualClock();
  const { store } = slowStore(clock, 1);
  t.is(await storing(clock, 1_000, store), 2);
});

test('one that goes on failing is given up when the time is over', async (t) => {
  const clock = new ManualClock();
  const { store, attempts } = slowStore(clock, 100);
  t.is(await storing(clock, 1_000, store), 'the connection is gone');
  t.is(attempts(), 2);
});

test('a refusal is an answer, and is not asked for again', async (t) => {
  const clock = new ManualClock();
  let attempts = 0;
  const refuse = async (): Promise<number> => {
    attempts += 1;
    throw new Fault('BANNED', 'banned');
  };
  t.is(await storing(clock, 60_000, refuse), 'banned');
  t.is(attempts, 1);
});
