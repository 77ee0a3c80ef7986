import test from 'ava';
import type { Injected } from '../faults/injector.ts';
import { Standstills } from './standstills.ts';

const owner = 'coordinator-1-0a1b2c3d';
const mostMs = 15_000;

const among = (...injected: Injected[]) =>
  new Standstills({ injected, stalls: [], edges: 3, coordinators: 3 }, mostMs);
const at = (second: number) => ({ askedMs: second * 1_000, answeredMs: second * 1_000 + 100 });
const run = (state = 'epoch 7, until 12:00:00', name = 'run a') => ({ name, state, owner });

/** A look each second, which finds what `found` says of that second. */
function lookedAt(standstills: Standstills, seconds: number, found: (second: number) => string) {
  for (let second = 0; second <= seconds; second++) {
    standstills.looked(at(second), [run(found(second))]);
  }
}

test('what stays as it is for too long is found, once, with how long it did', (t) => {
  const forgotten = among();
  lookedAt(forgotten, 60, () => 'epoch 7');
  t.deepEqual(forgotten.tooLong, [{ name: 'run a', ms: 59_900, state: 'epoch 7' }]);

  const flushed = among();
  lookedAt(flushed, 15, () => 'epoch 7');
  t.deepEqual(
    [flushed.tooLong, flushed.longest],
    [[], { name: 'run a', ms: 14_900, state: 'epoch 7' }],
  );
});

test('whatever is done about it begins the counting anew', (t) => {
  const standstills = among();
  lookedAt(standstills, 60, (second) => `epoch ${Math.floor(second / 11)}`);

  t.deepEqual(standstills.tooLong, []);
  t.is(standstills.longest?.ms, 9_900);
});

test('what went on and waits again later waits afresh', (t) => {
  const standstills = among();
  for (const second of [0, 10]) standstills.looked(at(second), [run()]);
  standstills.looked(at(11), []);
  for (const second of [12, 20]) standstills.looked(at(second), [run()]);

  t.is(standstills.longest?.ms, 9_900);
});

test('a look that failed says nothing, neither that a thing went on nor that it did not', (t) => {
  const standstills = among();
  for (const second of [0, 20]) standstills.looked(at(second), [run()]);

  t.is(standstills.tooLong.length, 1);
});

test('a hindrance begins the counting anew, and excuses nothing that comes long after it', (t) => {
  const fault = { index: 1, atMs: 0, kind: 'kill', who: 'coordinator-1' } as const;
  const killed = {
    ...{ fault, partitions: new Set<number>(), wasIdle: false },
    ...{ startMs: 10_000, endMs: 10_000 },
  };
  const excused = among(killed);
  lookedAt(excused, 30, () => 'epoch 7');
  t.deepEqual(excused.tooLong, []);

  // The coordinator is dead and taken over from by then, its five seconds of aftermath included.
  const forgotten = among(killed);
  lookedAt(forgotten, 70, () => 'epoch 7');
  t.deepEqual(forgotten.tooLong, [{ name: 'run a', ms: 55_000, state: 'epoch 7' }]);
});
