import test from 'ava';
import fc from 'fast-check';
import { SharedLoads } from '../../../apps/edge/public-reads/shared-loads.ts';

/** Loads that end when the test says so; what they give is how many had begun before. */
function heldLoads() {
  const ends: ((fails: boolean) => void)[] = [];
  let running = 0;
  let atOnce = 0;
  const load = async () => {
    const began = ends.length;
    running += 1;
    atOnce = Math.max(atOnce, running);
    await new Promise<void>((resolve, reject) => {
      ends.push((fails) => (fails ? reject(new Error(`load ${began}`)) : resolve()));
    }).finally(() => {
      running -= 1;
    });
    return began;
  };
  return { load, ends, atOnce: () => atOnce };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await undefined;
}

test('who comes while a load runs gets the next one, with all who wait', async (t) => {
  const shared = new SharedLoads<number>();
  const { load, ends } = heldLoads();
  const first = shared.get('key', load);
  const later = [shared.get('key', load), shared.get('key', load), shared.get('key', load)];
  const other = shared.get('another', load);
  t.is(ends.length, 2, 'one load of each key');
  ends[0]?.(false);
  t.is(await first, 0);
  await settle();
  t.is(ends.length, 3);
  ends[2]?.(false);
  t.deepEqual(await Promise.all(later), [2, 2, 2]);
  ends[1]?.(false);
  t.is(await other, 1);
  await settle();
  t.is(shared.size, 0);
});

test('a load that fails fails for those who waited for it, and for nobody after them', async (t) => {
  const shared = new SharedLoads<number>();
  const { load, ends } = heldLoads();
  const first = shared.get('key', load);
  const second = shared.get('key', load);
  ends[0]?.(true);
  await t.throwsAsync(first, { message: 'load 0' });
  await settle();
  ends[1]?.(false);
  t.is(await second, 1);
});

test('nobody gets what began to load before they asked, and of a key one load runs at a time', async (t) => {
  // Each step asks for a key, or ends the oldest load that runs, well or badly.
  const step = fc.oneof(
    fc.record({ ask: fc.constantFrom('a', 'b') }),
    fc.record({ endsBadly: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, settles) => {
      const shared = new SharedLoads<number>();
      const byKey = { a: heldLoads(), b: heldLoads() } as const;
      const ended = { a: 0, b: 0 };
      const answers: Promise<void>[] = [];
      const endNext = (fails: boolean) => {
        for (const key of ['a', 'b'] as const) {
          const end = byKey[key].ends[ended[key]];
          if (end === undefined) continue;
          ended[key] += 1;
          end(fails);
          return true;
        }
        return false;
      };
      for (const each of steps) {
        if ('ask' in each) {
          const key = each.ask === 'a' ? 'a' : 'b';
          const begunBefore = byKey[key].ends.length;
          const answer = shared.get(key, byKey[key].load).then(
            (began) => t.true(began >= begunBefore),
            (error: Error) => t.true(Number(error.message.slice(5)) >= begunBefore),
          );
          answers.push(answer.then(() => undefined));
        } else endNext(each.endsBadly);
        if (settles) await settle();
      }
      await settle();
      while (endNext(false)) await settle();
      await Promise.all(answers);
      await settle();
      t.true(byKey.a.atOnce() <= 1 && byKey.b.atOnce() <= 1);
      t.is(shared.size, 0, 'nothing stays behind');
    }),
  );
});
