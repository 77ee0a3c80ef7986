import test from 'ava';
import { History } from '../clients/history.ts';
import { punctuality } from './punctual.ts';

const untilMs = 100_000;

/** A run that was claimed and asked for once more, so long before the end of its lease. */
function askedBefore(ms: number): History {
  const history = new History();
  const asked = {
    client: 'v',
    firstCallMs: 0,
    door: '',
    returnMs: 0,
    outcome: 'unknown',
    status: 0,
  } as const;
  history.attempts.push(
    {
      ...{ ...asked, code: '', callMs: untilMs - 15_000, sent: { kind: 'claim', isKeyed: false } },
      told: { evalRunId: 'r', leaseUntilMs: untilMs },
    },
    {
      ...{ ...asked, code: '', callMs: untilMs - ms, told: {} },
      sent: { kind: 'heartbeat', evalRunId: 'r', isKeyed: false },
    },
  );
  return history;
}

const calm = { injected: [], stalls: [] };
const stallOf = (lagMs: number, fromMs: number) => {
  return { ...calm, stalls: [{ fromMs, untilMs: fromMs + lagMs, lagMs }] };
};

test('whoever asks in time is punctual', (t) => {
  const found = punctuality(askedBefore(4_000), calm);
  t.deepEqual(found, { unpunctual: new Set(), punctual: 1, lagged: 0 });
});

test('whoever asks at the last moment is not', (t) => {
  const found = punctuality(askedBefore(1_000), calm);
  t.deepEqual(found, { unpunctual: new Set(['r']), punctual: 0, lagged: 0 });
});

test('while our own process stands still, nobody knows', (t) => {
  const history = askedBefore(4_000);
  const late = punctuality(history, stallOf(1_100, untilMs - 4_500));
  t.deepEqual(late, { unpunctual: new Set(['r']), punctual: 0, lagged: 1 });

  t.is(punctuality(history, stallOf(900, untilMs - 4_500)).punctual, 1);
  t.is(punctuality(history, stallOf(5_000, untilMs - 30_000)).punctual, 1);
});
