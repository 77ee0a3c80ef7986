import test from 'ava';
import { judgingState, rejudgingStatus } from '../../../machines/rejudging/progress.ts';

const counts = { isApplied: false, isCancelled: false, openCount: 0, judgedCount: 0 };

test('a rejudging is open while a run of it waits, and ready afterwards', (t) => {
  t.is(rejudgingStatus({ ...counts, openCount: 1, judgedCount: 3 }), 'OPEN');
  t.is(rejudgingStatus({ ...counts, judgedCount: 3 }), 'READY');
  t.is(rejudgingStatus(counts), 'READY');
});

test('it is applied when no verdict is left, and cancelled at once', (t) => {
  t.is(rejudgingStatus({ ...counts, isApplied: true, judgedCount: 1 }), 'APPLYING');
  t.is(rejudgingStatus({ ...counts, isApplied: true }), 'APPLIED');
  t.is(rejudgingStatus({ ...counts, isCancelled: true, openCount: 1 }), 'CANCELLED');
});

const judging = { liveCount: 0, hasVerdict: false, isRejudgingCancelled: false };

test('a run that nobody took waits, unless its rejudging is cancelled', (t) => {
  t.is(judgingState({ ...judging, work: null }), 'WAITING');
  t.is(judgingState({ ...judging, work: 'OPEN' }), 'WAITING');
  t.is(judgingState({ ...judging, work: 'OPEN', liveCount: 1 }), 'RUNNING');
  t.is(judgingState({ ...judging, work: null, isRejudgingCancelled: true }), 'ENDED');
});

test('what became of a verdict is told apart from what never was one', (t) => {
  const judged = { ...judging, hasVerdict: true };
  t.is(judgingState({ ...judged, work: 'JUDGED' }), 'JUDGED');
  t.is(judgingState({ ...judged, work: 'APPLIED' }), 'APPLIED');
  t.is(judgingState({ ...judged, work: 'CANCELLED' }), 'DROPPED');
  t.is(judgingState({ ...judging, work: 'CANCELLED' }), 'ENDED');
});
