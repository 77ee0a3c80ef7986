import test from 'ava';
import { TaskTime } from '../../../apps/validator/sandbox/task-time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const look = 50;

/** A task of a minute, with looks all the while; what the validator computes is told. */
function begun() {
  const clock = new ManualClock();
  const busy = { ms: 0 };
  const time = new TaskTime({ clock, busyMs: () => busy.ms });
  let isOver = false;
  void time.pass(60_000, new AbortController().signal).then(() => {
    isOver = true;
  });
  const passes = async (ms: number) => {
    for (let left = ms; left > 0; left -= look) {
      await clock.advance(Math.min(left, look));
      time.look();
    }
    return isOver;
  };
  return { clock, busy, passes };
}

test('a time in which the validator stood still is none of a task', async (t) => {
  const { clock, passes } = begun();
  clock.standStill(30_000);
  t.false(await passes(59_900));
  t.true(await passes(200));
});

// Its calls may make it compute, and an agent would have as much time as it likes.
test('a time in which the validator computed is', async (t) => {
  const { clock, busy, passes } = begun();
  busy.ms += 29_000;
  clock.standStill(30_000);
  t.false(await passes(30_900));
  t.true(await passes(200));
});

test('all standstills of a task together are two minutes at the most', async (t) => {
  const { clock, passes } = begun();
  for (let times = 0; times < 3; times += 1) {
    clock.standStill(50_000);
    t.false(await passes(1_000));
  }
  t.false(await passes(26_000));
  t.true(await passes(1_200));
});
