import test from 'ava';
import { Rests } from '../../../actors/services/credentials/rests.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('a rest has an end, and begins anew where it is told again', async (t) => {
  const clock = new ManualClock();
  const rests = new Rests({ clock, restMs: 10 });
  rests.begin('one');
  await clock.advance(6);
  rests.begin('two');
  rests.begin('one');
  await clock.advance(9);
  t.deepEqual([rests.has('one'), rests.has('two'), rests.has('three')], [true, true, false]);
  rests.end('two');
  t.false(rests.has('two'));
  await clock.advance(1);
  t.false(rests.has('one'));
});

test('no number of accounts takes more memory than it may: the oldest rests end early', (t) => {
  const clock = new ManualClock();
  const rests = new Rests({ clock, restMs: 10, most: 3 });
  const names = Array.from({ length: 1_000 }, (_, at) => `account ${at}`);
  for (const name of names) rests.begin(name);
  t.deepEqual(
    names.filter((name) => rests.has(name)),
    names.slice(-3),
  );
});
