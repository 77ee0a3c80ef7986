import test from 'ava';
import { BriefCache } from '../../../apps/edge/auth/brief-cache.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const keepMs = 500;

/** Counts what is loaded, and answers with the moment at which it was asked for. */
function counting() {
  const clock = new ManualClock();
  const loads: string[] = [];
  let isDown = false;
  const cache = new BriefCache({
    ...{ keepMs, clock },
    load: async (key: string) => {
      loads.push(`${key} ${clock.monotonicMs()}`);
      if (isDown) throw new Error('away');
      return clock.monotonicMs();
    },
  });
  return { clock, loads, cache, goDown: () => (isDown = true) };
}

test('who asks at the same time asks once, and so does who asks a moment later', async (t) => {
  const { clock, loads, cache } = counting();

  const answers = await Promise.all([cache.get('a'), cache.get('a')]);
  await clock.advance(keepMs / 2 - 1);

  t.deepEqual([...answers, await cache.get('a')], [0, 0, 0]);
  t.deepEqual(loads, ['a 0']);
});

test('what is still asked for is renewed with all others before it grows old', async (t) => {
  const { clock, loads, cache } = counting();
  await Promise.all([cache.get('a'), cache.get('b'), cache.get('c')]);
  await clock.advance(keepMs / 2);

  t.deepEqual([await cache.get('a'), await cache.get('b')], [0, 0]);
  await clock.advance(keepMs / 2 - 1);

  t.deepEqual(loads, ['a 0', 'b 0', 'c 0', 'a 300', 'b 300']);
  t.is(await cache.get('a'), 300);
  t.is(await cache.get('c'), 0);
});

test('nothing older than may be is told, whatever was asked for when', async (t) => {
  const { clock, cache } = counting();
  for (let step = 0; step < 200; step++) {
    const key = String(step % 3);
    t.true(clock.monotonicMs() - (await cache.get(key)) < keepMs);
    await clock.advance((step * 37) % 290);
  }
});

test('what was forgotten is not brought back by an answer that was under way', async (t) => {
  const clock = new ManualClock();
  const answers: PromiseWithResolvers<string>[] = [];
  const cache = new BriefCache({
    ...{ keepMs, clock },
    load: () => {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const first = cache.get('token');
  answers[0]?.resolve('good');
  await first;
  await clock.advance(keepMs / 2);
  await cache.get('token');
  await clock.advance(keepMs / 4);
  t.is(answers.length, 2);

  cache.forget('token');
  answers[1]?.resolve('good');
  await clock.advance(1);
  const after = cache.get('token');
  answers[2]?.resolve('over');

  t.is(await after, 'over');
});

test('a renewal that fails is nobody’s answer', async (t) => {
  const { clock, loads, cache, goDown } = counting();
  await cache.get('a');
  goDown();
  await clock.advance(keepMs / 2);

  t.is(await cache.get('a'), 0);
  await clock.advance(keepMs / 2 - 1);
  t.is(await cache.get('a'), 0);
  await clock.advance(1);
  await t.throwsAsync(cache.get('a'), { message: 'away' });

  t.deepEqual(loads, ['a 0', 'a 300', 'a 500']);
});
