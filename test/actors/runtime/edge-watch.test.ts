import test from 'ava';
import { EdgeWatch } from '../../../actors/runtime/edge-watch.ts';
import { defaultPolicy } from '../../../actors/runtime/policy.ts';
import { edgeSignals } from '../../support/edge-signals.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const { edgeSilenceMs } = defaultPolicy;

function watch() {
  const clock = new ManualClock();
  const outages: number[] = [];
  const { bus, hear } = edgeSignals();
  const watched = new EdgeWatch({
    ...{ bus, clock, log: silentLogger, policy: defaultPolicy },
    onOutageEnd: (outageMs) => outages.push(Math.round(outageMs)),
    onDelay: () => undefined,
  });
  watched.start();
  const says = (...names: string[]) => {
    for (const name of names) hear({ name, isLeaving: false, waitMs: 0 });
  };
  const pass = async (ms: number, speaking: readonly string[]) => {
    for (let passed = 0; passed < ms; passed += 100) {
      await clock.advance(100);
      if (passed % 1_000 === 0) says(...speaking);
    }
  };
  return { outages, says, pass };
}

const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);

test('edges that fall silent together cost their callers that time once', async (t) => {
  const { outages, says, pass } = watch();
  says('a', 'b', 'c', 'd');
  outages.length = 0;
  await pass(2 * edgeSilenceMs, ['d']);
  t.is(outages.length, 1);
  t.true(sum(outages) >= edgeSilenceMs && sum(outages) < edgeSilenceMs + 1_000);
});

test('edges that fall silent one after the other cost the time in which any was missed', async (t) => {
  const { outages, says, pass } = watch();
  says('a', 'b', 'c');
  outages.length = 0;
  await pass(1_000, ['b', 'c']);
  await pass(2 * edgeSilenceMs, ['c']);
  // From the last word of the first to the moment at which the second was missed.
  t.is(outages.length, 2);
  t.true(sum(outages) < edgeSilenceMs + 2_500, String(outages));
});

test('a silence long after another one counts whole', async (t) => {
  const { outages, says, pass } = watch();
  says('a', 'b', 'c');
  outages.length = 0;
  await pass(2 * edgeSilenceMs, ['b', 'c']);
  await pass(3 * edgeSilenceMs, ['c']);
  t.is(outages.length, 2);
  t.true(outages.every((outageMs) => outageMs >= edgeSilenceMs));
});
