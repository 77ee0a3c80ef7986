import test from 'ava';
import type { WaitingRow } from '../../../apps/edge/reads/waiting.ts';
import { toWaiting } from '../../../apps/edge/wire/waiting.ts';

const row: WaitingRow = {
  ...{ phase: 'QUALIFYING', holdUntil: null, holdReason: null },
  ...{ liveCount: 0, runsNeeded: 2, runsAhead: 0, itemsAhead: 0 },
  ...{ ableValidators: 2, isUntried: true, pausedUntil: null },
};
const throughput = { activeValidators: 2, meanRunSeconds: 60, nowMs: 0 };
const reason = (other: Partial<WaitingRow>, rate = throughput) =>
  toWaiting({ ...row, ...other }, rate).reason;

test('why work waits is one sentence, of the first cause that applies', (t) => {
  t.is(
    reason({ holdReason: 'It was lost three times.', itemsAhead: 3 }),
    'It was lost three times.',
  );
  t.is(reason({ runsNeeded: 0, liveCount: 2, itemsAhead: 3 }), 'Its runs are in progress.');
  const nobody = { ...throughput, activeValidators: 0 };
  t.is(reason({ itemsAhead: 3 }, nobody), 'No validator was seen in the last five minutes.');
  t.is(reason({ itemsAhead: 3 }), '3 work items are handed out before it.');
  t.is(reason({ itemsAhead: 1 }), '1 work item is handed out before it.');
  t.is(reason({}), 'It is next: a validator that may evaluate it has to become free.');
});

const noneAble =
  'No validator that is here may evaluate it: each has a run or a success of it, or belongs to its miner.';
const allInVain =
  'Every validator that is here and may evaluate it had a run of it in vain: it comes after the other work of its phase.';

test('work that no validator may take has no time, and work that all had in vain no place either', (t) => {
  const times = { expected_start_at: null, expected_finish_at: null };

  t.deepEqual(toWaiting({ ...row, ableValidators: 0, isUntried: false }, throughput), {
    ...{ phase: 'QUALIFYING', position: 1, reason: noneAble, ...times },
  });
  t.deepEqual(toWaiting({ ...row, ableValidators: 0, itemsAhead: 3 }, throughput), {
    ...{ phase: 'QUALIFYING', position: 4, reason: noneAble, ...times },
  });
  t.deepEqual(toWaiting({ ...row, isUntried: false }, throughput), {
    ...{ phase: 'QUALIFYING', position: null, reason: allInVain, ...times },
  });
});

test('work that all pause is told when it is offered again, and promised no start', (t) => {
  const pausedUntil = new Date('2026-11-28T12:00:00.000Z');
  const { reason: said, ...other } = toWaiting(
    { ...row, isUntried: false, pausedUntil },
    throughput,
  );

  t.is(
    said,
    'Every validator that is here and may evaluate it pauses it after runs in vain: ' +
      'it is offered again at 2026-11-28T12:00:00.000Z, after the other work of its phase.',
  );
  t.deepEqual(other, {
    ...{ phase: 'QUALIFYING', position: null, expected_start_at: null, expected_finish_at: null },
  });
});

test('work that needs more runs than there are validators for starts, and nobody knows when it ends', (t) => {
  t.like(toWaiting({ ...row, ableValidators: 1 }, throughput), {
    ...{ position: 1, expected_start_at: '1970-01-01T00:00:00.000Z', expected_finish_at: null },
  });
});

test('runs in progress end although nobody else may take the work', (t) => {
  const running = { ...row, runsNeeded: 0, liveCount: 2, ableValidators: 0, isUntried: false };

  t.like(toWaiting(running, throughput), { expected_finish_at: '1970-01-01T00:01:00.000Z' });
});

test('it says of which work', (t) => {
  t.is(toWaiting({ ...row, phase: 'RACE' }, throughput).phase, 'RACE');
});

test('where nothing is open, nothing is said', (t) => {
  t.deepEqual(toWaiting(undefined, throughput), {
    ...{
      phase: null,
      position: null,
      reason: null,
      expected_start_at: null,
      expected_finish_at: null,
    },
  });
});
