import test from 'ava';
import { type Measured, repeatedWhileNoisy } from './repeated.ts';

function measuring(...all: readonly Measured[]) {
  const left = [...all];
  return async () => {
    const next = left.shift();
    if (next === undefined) throw new Error('measured once too often');
    return next;
  };
}

test('a machine that keeps still is measured once', async (t) => {
  const found = await repeatedWhileNoisy(measuring({ drift: 1.19 }), 3);

  t.deepEqual(found, { drift: 1.19, repeats: 0 });
});

test('what is noisy is measured again until it is not', async (t) => {
  const found = await repeatedWhileNoisy(
    measuring({ drift: 1.5 }, { drift: 0.7 }, { drift: 0.9 }),
    3,
  );

  t.deepEqual(found, { drift: 0.9, repeats: 2 });
});

test('the steadiest is taken where all are noisy, in either direction', async (t) => {
  const found = await repeatedWhileNoisy(
    measuring({ drift: 2 }, { drift: 0.75 }, { drift: 0.4 }, { drift: 1.5 }),
    3,
  );

  t.deepEqual(found, { drift: 0.75, repeats: 3 });
});

test('a wrong answer is not repeated away, and one in a repeat is not forgotten', async (t) => {
  const wrong = { drift: 3, failure: 'a run was claimed twice' };

  t.deepEqual(await repeatedWhileNoisy(measuring(wrong), 3), { ...wrong, repeats: 0 });
  t.deepEqual(await repeatedWhileNoisy(measuring({ drift: 2 }, wrong), 3), {
    ...wrong,
    repeats: 1,
  });
});
