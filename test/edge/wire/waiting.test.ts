import test from 'ava';
import type { WaitingRow } from '../../../apps/edge/reads/waiting.ts';
import { toWaiting } from '../../../apps/edge/wire/waiting.ts';

const row: WaitingRow = {
  ...{ phase: 'QUALIFYING', holdUntil: null, holdReason: null },
  ...{ liveCount: 0, runsNeeded: 2, runsAhead: 0, itemsAhead: 0 },
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

test('where nothing is open, nothing is said', (t) => {
  t.deepEqual(toWaiting(undefined, throughput), {
    ...{ position: null, reason: null, expected_start_at: null, expected_finish_at: null },
  });
});
