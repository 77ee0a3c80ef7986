import test from 'ava';
import { RateWindow } from '../../../apps/edge/middleware/rate-window.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { Fault } from '../../../machines/fault.ts';

test('a minute holds so many takes of one key, and says when the next one comes', (t) => {
  let nowMs = 1_000_000;
  const window = new RateWindow(3, { ...systemClock, monotonicMs: () => nowMs });
  for (const gapMs of [0, 10_000, 10_000]) {
    nowMs += gapMs;
    window.take('a');
  }
  const refused = t.throws(() => window.take('a'), { instanceOf: Fault });
  t.is(refused?.code, 'RATE_LIMITED');
  t.is(refused?.extras['retry_after_seconds'], 40);
  window.take('b');
  nowMs += 40_000;
  t.notThrows(() => window.take('a'));
  t.throws(() => window.take('a'));
});
