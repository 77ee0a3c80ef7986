import test from 'ava';
import { UploadSlots } from '../../../apps/edge/middleware/upload-slots.ts';
import type { Fault } from '../../../machines/fault.ts';

function slots() {
  const uploads = new UploadSlots({ perKeyMax: 6, max: 20 });
  const gate = Promise.withResolvers<void>();
  /** What becomes of each: 'begun', or why it was not. */
  const begin = (key: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => {
      let fate = 'refused';
      const upload = uploads.during(key, () => {
        fate = 'begun';
        return gate.promise;
      });
      upload.catch(({ code }: Fault) => refusals.push([`${key} ${at}`, code]));
      return fate;
    });
  const refusals: [string, string][] = [];
  return { begin, refusals, finish: gate.resolve, settled: () => gate.promise };
}

const begun = (fates: readonly string[]) => fates.filter((fate) => fate === 'begun').length;

test('a key has so many uploads at once, and all of them again when they are over', async (t) => {
  const { begin, refusals, finish, settled } = slots();
  t.is(begun(begin('5Slow', 8)), 6);
  await Promise.resolve();
  t.deepEqual(
    refusals.map(([, code]) => code),
    ['RATE_LIMITED', 'RATE_LIMITED'],
  );
  finish();
  await settled();
  await new Promise(setImmediate);
  t.is(begun(begin('5Slow', 6)), 6);
});

test('a few slow keys leave places for those that send one file', (t) => {
  const { begin } = slots();
  t.is(begun(begin('5A', 6)) + begun(begin('5B', 6)), 10, 'half of all');
  for (const key of ['5C', '5D', '5E', '5F']) t.is(begun(begin(key, 4)), 2, key);
  t.is(begun(begin('5A', 1)), 0);
  t.is(begun(begin('5G', 1)) + begun(begin('5H', 1)), 2);
});

test('all keys together have so many, and the next one is told to come again', async (t) => {
  const { begin, refusals } = slots();
  for (let key = 0; key < 20; key += 1) t.is(begun(begin(`5${key}`, 1)), 1);
  t.is(begun(begin('5Late', 1)), 0);
  await Promise.resolve();
  t.deepEqual(refusals, [['5Late 0', 'OVERLOADED']]);
});
