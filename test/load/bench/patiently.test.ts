import test from 'ava';
import { Fault } from '../../../machines/fault.ts';
import { patiently } from './inside/patiently.ts';

test('an order that was shed is asked again until it is answered, and each time is told', async (t) => {
  let asked = 0;
  let shed = 0;
  const ask = async () => {
    asked += 1;
    if (asked < 3) throw new Fault('OVERLOADED', 'too much');
    return 'done';
  };

  t.is(
    await patiently(ask, () => {
      shed += 1;
    }),
    'done',
  );
  t.is(shed, 2);
});

test('any other refusal is told at once', async (t) => {
  const refused = async () => {
    throw new Fault('AT_CAPACITY', 'full');
  };

  await t.throwsAsync(
    patiently(refused, () => t.fail('nothing was shed')),
    { message: 'full' },
  );
});
