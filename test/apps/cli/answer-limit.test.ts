import test from 'ava';
import { AnswerLimit } from '../../../apps/cli/client/answer-limit.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('what has come of an answer buys it the time that a slow line takes for as much', async (t) => {
  const clock = new ManualClock();
  const limit = new AnswerLimit(10_000, clock);
  await clock.advance(9_999);
  limit.came(100_000);
  await clock.advance(5_000);
  t.false(limit.signal.aborted);
  await clock.advance(1);
  t.true(limit.signal.aborted);
});

test('an answer that drips is late all the same', async (t) => {
  const clock = new ManualClock();
  const limit = new AnswerLimit(10_000, clock);
  for (let second = 1; second <= 10; second++) {
    await clock.advance(1_000);
    limit.came(1);
  }
  await clock.advance(1);
  t.true(limit.signal.aborted);
});

test('however much came, one that stalls is late after as long as there was at first', async (t) => {
  const clock = new ManualClock();
  const limit = new AnswerLimit(10_000, clock);
  limit.came(1_000_000_000);
  await clock.advance(9_999);
  t.false(limit.signal.aborted);
  await clock.advance(1);
  t.true(limit.signal.aborted);
});

test('an answer that is there is never late', async (t) => {
  const clock = new ManualClock();
  const limit = new AnswerLimit(10_000, clock);
  limit.end();
  await clock.advance(60_000);
  t.false(limit.signal.aborted);
});
