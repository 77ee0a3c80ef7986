import test from 'ava';
import { ClockFollower } from '../../../infra/clock/clock-follower.ts';
import {
  type ClockState,
  type FollowerReport,
  heardSignal,
  movedSignal,
  type Outlook,
} from '../../../infra/ports/clock-follower.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const hourUs = 3_600_000_000;

/** A follower over a database and signals of the test. */
function start() {
  const clock = new ManualClock();
  const told: FollowerReport[] = [];
  const listeners = new Map<string, (body: unknown) => void>();
  let heard = 0;
  let truth: ClockState = { offsetUs: 0, round: 0 };
  let isAway = false;
  const store = {
    read: async () => {
      if (isAway) throw new Error('away');
      return truth;
    },
    report: async (report: FollowerReport) => {
      if (isAway) throw new Error('away');
      told.push(report);
      return truth;
    },
  };
  const signals = {
    signal: (name: string) => {
      if (name === heardSignal) heard += 1;
    },
    onSignal: (name: string, receive: (body: unknown) => void) => {
      listeners.set(name, receive);
      return { close: async () => void listeners.delete(name) };
    },
  };
  const follower = new ClockFollower({
    ...{ process: 'one', store, signals, clock, log: silentLogger },
  });
  return {
    ...{ clock, told, follower },
    last: () => told.at(-1),
    heard: () => heard,
    move: (state: ClockState) => {
      truth = state;
    },
    signal: (body: unknown) => listeners.get(movedSignal)?.(body),
    away: (is: boolean) => {
      isAway = is;
    },
    settled: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
}

/** A worker that is told what it has to do. */
function worker(clock: ManualClock) {
  const outlook = { incarnation: 'i', partitions: 3, epochSum: 7, isIdle: true };
  let nextDueMs: number | undefined;
  return {
    nowMs: () => clock.nowMs(),
    outlook: (): Outlook => ({ ...outlook, nextDueMs, nowMs: clock.nowMs() }),
    busy: (isBusy: boolean) => {
      outlook.isIdle = !isBusy;
    },
    due: (atMs: number | undefined) => {
      nextDueMs = atMs;
    },
  };
}

test('the offset is known from the start and by signal, and never shrinks', async (t) => {
  const { follower, move, signal } = start();
  move({ offsetUs: hourUs, round: 4 });
  await follower.start();
  t.is(follower.offsetMs(), 3_600_000);

  signal({ offsetUs: 2 * hourUs, round: 5 });
  t.is(follower.offsetMs(), 7_200_000);
  signal({ offsetUs: hourUs, round: 6 });
  for (const garbage of [null, {}, { offsetUs: '9', round: 7 }, 'x']) signal(garbage);
  t.is(follower.offsetMs(), 7_200_000);
  await follower.stop();
});

test('a signal that got lost is made up for within the second', async (t) => {
  const { clock, follower, move } = start();
  await follower.start();
  move({ offsetUs: hourUs, round: 1 });

  await clock.advance(1_000);

  t.is(follower.offsetMs(), 3_600_000);
  await follower.stop();
});

test('a database that is away is asked again', async (t) => {
  const { clock, follower, move, away } = start();
  away(true);
  move({ offsetUs: hourUs, round: 1 });
  await follower.start();
  await clock.advance(1_000);
  t.is(follower.offsetMs(), 0);

  away(false);
  await clock.advance(1_000);

  t.is(follower.offsetMs(), 3_600_000);
  await follower.stop();
});

test('what is left to do is told for the round that was asked about', async (t) => {
  const { clock, follower, last, heard, signal, settled } = start();
  const work = worker(clock);
  await follower.start();
  work.due(clock.nowMs() + 60_000);
  follower.watch(work);
  await settled();

  const before = heard();
  signal({ offsetUs: hourUs, round: 9 });
  await settled();

  t.like(last(), {
    ...{ process: 'one', incarnation: 'i', round: 9, offsetUs: hourUs, isIdle: true },
    ...{ nextDueMs: clock.nowMs() + 60_000, partitions: 3, epochSum: 7 },
  });
  t.is(heard(), before + 1);
  await follower.stop();
});

test('who is at work tells when it rests, and that it lives until then', async (t) => {
  const { clock, follower, told, last, signal, settled } = start();
  const work = worker(clock);
  await follower.start();
  follower.watch(work);
  await settled();
  work.busy(true);
  const before = told.length;

  signal({ offsetUs: 0, round: 3 });
  await settled();
  t.is(told.length, before);
  await clock.advance(300);
  t.is(last()?.isIdle, false);

  work.busy(false);
  void follower.rested();
  await clock.advance(5);
  t.like(last(), { isIdle: true, round: 3 });
  await follower.stop();
});

test('work that comes to rest outside of any move is not told at once', async (t) => {
  const { clock, follower, told } = start();
  const work = worker(clock);
  await follower.start();
  follower.watch(work);
  await clock.advance(5);
  const before = told.length;

  for (let batch = 0; batch < 50; batch++) await follower.rested();

  t.is(told.length, before);
  await follower.stop();
});

test('a deadline just ahead is looked at when it comes', async (t) => {
  const { clock, follower, told, signal, settled } = start();
  let looks = 0;
  const work = worker(clock);
  const outlook = () => {
    looks += 1;
    return work.outlook();
  };
  await follower.start();
  work.due(clock.nowMs() + 3);
  follower.watch({ nowMs: work.nowMs, outlook });
  signal({ offsetUs: hourUs, round: 1 });
  await settled();
  const before = { looks, told: told.length };

  await clock.advance(4);

  t.true(looks > before.looks && told.length > before.told);
  await follower.stop();
});

test('an edge has no work to be asked about', async (t) => {
  const { follower, told, last, signal, settled } = start();
  await follower.start();
  signal({ offsetUs: hourUs, round: 1 });
  await settled();
  const before = told.length;

  signal({ offsetUs: hourUs, round: 2 });
  await settled();

  t.is(told.length, before);
  t.like(last(), { incarnation: null, isIdle: true, nextDueMs: null, offsetUs: hourUs });
  await follower.stop();
});

test('who stopped says nothing any more', async (t) => {
  const { clock, follower, told, signal } = start();
  follower.watch(worker(clock));
  await follower.start();
  await follower.stop();
  const before = told.length;

  signal({ offsetUs: hourUs, round: 1 });
  await follower.rested();
  await clock.advance(2_000);

  t.is(told.length, before);
  t.is(follower.offsetMs(), 0);
});
