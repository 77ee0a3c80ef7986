import test from 'ava';
import { type KeyWish, LentKeys } from '../../../apps/edge/inference/lent-keys.ts';

const run = { evalRunId: 'run', provider: 'providera' } as const;

function lender(lifetimeMs = 60_000) {
  const asked: KeyWish[] = [];
  let nowMs = 0;
  let failure: Error | undefined;
  const keys = new LentKeys(
    async (wish) => {
      asked.push(wish);
      await Promise.resolve();
      if (failure !== undefined) throw failure;
      const name = `${asked.length}`;
      return { keyId: `id of ${name}`, accessKey: name, expiresAtMs: nowMs + lifetimeMs };
    },
    { nowMs: () => nowMs },
  );
  return {
    keys,
    asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
}

test('one key is lent for all who ask at a time, and kept until it is about to end', async (t) => {
  const { keys, asked, pass } = lender();
  const lent = await Promise.all([keys.get(run), keys.get(run), keys.get(run)]);
  t.deepEqual(new Set(lent.map(({ accessKey }) => accessKey)), new Set(['1']));
  pass(54_999);
  t.is((await keys.get(run)).accessKey, '1');
  pass(1);
  t.is((await keys.get(run)).accessKey, '2');
  t.is(asked.length, 2);
});

test('a refused key is replaced once, however many meet the refusal', async (t) => {
  const { keys, asked } = lender();
  const { keyId } = await keys.get(run);
  const wish = { ...run, refused: keyId };
  const lent = await Promise.all([keys.get(wish), keys.get(wish), keys.get(run)]);
  t.is(lent[0].accessKey, '2');
  t.is(lent[1].accessKey, '2');
  t.deepEqual(asked, [run, wish]);
});

test('runs and providers have keys of their own', async (t) => {
  const { keys } = lender();
  const lent = [
    await keys.get(run),
    await keys.get({ ...run, provider: 'providerb' }),
    await keys.get({ ...run, evalRunId: 'other' }),
  ];
  t.deepEqual(
    lent.map(({ accessKey }) => accessKey),
    ['1', '2', '3'],
  );
});

test('a failure is nobody’s but theirs who waited for it', async (t) => {
  const { keys, fail } = lender();
  fail(new Error('away'));
  await t.throwsAsync(Promise.all([keys.get(run), keys.get(run)]), { message: 'away' });
  fail(undefined);
  t.is((await keys.get(run)).accessKey, '2');
});

test('a key that is lent no more is good no more, and another is asked for once', async (t) => {
  const { keys, asked } = lender();
  const { keyId } = await keys.get(run, null);
  t.is((await keys.get(run, keyId)).accessKey, '1');

  const lent = await Promise.all([null, null, null].map((standing) => keys.get(run, standing)));
  t.deepEqual(new Set(lent.map(({ accessKey }) => accessKey)), new Set(['2']));
  t.is((await keys.get(run, 'id of another')).accessKey, '3');
  t.is(asked.length, 3);
});

test('one that is asked for after the look is good, though the look did not find it', async (t) => {
  const { keys, asked } = lender();
  const first = keys.get(run, null);
  const others = [keys.get(run, null), keys.get(run, null), keys.get(run, null)];

  t.is((await first).accessKey, '1');
  // What was under way may have been withdrawn before they looked.
  for (const other of others) t.is((await other).accessKey, '2');
  t.is(asked.length, 2);
});
