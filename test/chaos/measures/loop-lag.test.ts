import test from 'ava';
import { nowMs } from '../clients/history.ts';
import { LoopLag, lagWithin } from './loop-lag.ts';

test('a loop that stands still is seen, with when and for how long', async (t) => {
  const lag = new LoopLag();
  t.teardown(() => lag.stop());
  const startMs = nowMs();
  while (nowMs() < startMs + 400);
  const endMs = nowMs();
  await new Promise((resolve) => setTimeout(resolve, 150));

  t.true(lag.worstMs >= 250);
  t.true(lagWithin(lag.stalls, startMs, endMs) >= 250);
  t.is(lagWithin(lag.stalls, startMs - 10_000, startMs - 1_000), 0);
});

test('stalls that follow each other add up', (t) => {
  const stalls = [
    { fromMs: 0, untilMs: 700, lagMs: 600 },
    { fromMs: 700, untilMs: 1_400, lagMs: 600 },
    { fromMs: 1_400, untilMs: 2_100, lagMs: 600 },
  ];

  t.is(lagWithin(stalls, 100, 1_300), 1_200);
  t.is(lagWithin(stalls, 2_100, 3_000), 0);
});
