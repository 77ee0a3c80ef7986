import test from 'ava';
import { Standstill } from '../../../infra/nats/standstill.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A clock whose process stands still at times: it passes, and nothing is woken. */
function standing() {
  const manual = new ManualClock();
  let stoodMs = 0;
  const clock = {
    nowMs: () => manual.nowMs() + stoodMs,
    monotonicMs: () => manual.monotonicMs() + stoodMs,
    sleep: (ms: number, signal?: AbortSignal) => manual.sleep(ms, signal),
    every: (ms: number, tick: () => Promise<void> | void) => manual.every(ms, tick),
  };
  const standstill = new Standstill(clock);
  standstill.start();
  const stand = (ms: number) => {
    stoodMs += ms;
  };
  return { standstill, stand, goOn: (ms: number) => manual.advance(ms) };
}

test('a process that goes on as it should leaves nothing unread', async (t) => {
  const { standstill, goOn } = standing();
  for (let step = 0; step < 50; step += 1) {
    await goOn(130);
    t.is(standstill.unreadMs(), 0);
  }
});

test('a busy turn is no standstill', async (t) => {
  const { standstill, stand, goOn } = standing();
  await goOn(1_500);
  stand(1_900);
  t.is(standstill.unreadMs(), 0);
  await goOn(600);
  t.is(standstill.unreadMs(), 0);
});

test('what waited through a standstill is as old as the last beat, before the next one and after', async (t) => {
  const { standstill, stand, goOn } = standing();
  await goOn(1_500);
  stand(20_000);
  t.is(standstill.unreadMs(), 20_500);
  await goOn(500);
  t.is(standstill.unreadMs(), 21_000);
  await goOn(900);
  t.is(standstill.unreadMs(), 21_000);
  await goOn(200);
  t.is(standstill.unreadMs(), 0);
});

test('what was read by nobody meanwhile is no standstill', async (t) => {
  const { standstill, goOn } = standing();
  standstill.stop();
  await goOn(60_000);
  standstill.start();
  t.is(standstill.unreadMs(), 0);
});
