import test, { type ExecutionContext } from 'ava';
import { until } from '../../support/until.ts';
import { StandstillWatch, type WatchPlan } from './standstill-watch.ts';

const calm = { injected: [], stalls: [], edges: 3, coordinators: 3 };

function watching(t: ExecutionContext, find: WatchPlan['find']): StandstillWatch {
  const watch = new StandstillWatch(calm, { rule: 'runs', everyMs: 1, mostMs: 5, find });
  t.teardown(() => watch.stop());
  return watch;
}

test('a watch finds what stands still for too long', async (t) => {
  const watch = watching(t, async () => [{ name: 'run a', state: 'live', owner: null }]);

  await until(() => (watch.watched().longest?.ms ?? 0) > 5);
  watch.stop();

  t.regex(watch.violations()[0] ?? '', /^run a for \d+ ms unhindered, more than 5: live$/);
  t.is(watch.watched().longest?.name, 'run a');
});

test('what changes at each look stands still for no time', async (t) => {
  let looks = 0;
  const watch = watching(t, async () => {
    looks += 1;
    return [{ name: 'run a', state: `look ${looks}`, owner: null }];
  });

  await until(() => looks > 20);
  watch.stop();

  t.deepEqual(watch.violations(), []);
  t.is(watch.watched().longest, null);
});

test('a watch whose every look failed has shown nothing', async (t) => {
  let looks = 0;
  const watch = watching(t, async () => {
    looks += 1;
    throw new Error('the database is away');
  });

  await until(() => looks > 1);
  watch.stop();

  t.deepEqual(watch.violations(), ['nobody looked for runs']);
});
