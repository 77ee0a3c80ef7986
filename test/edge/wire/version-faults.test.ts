import test from 'ava';
import type { OutcomeRow } from '../../../apps/edge/reads/version-outcomes.ts';
import { publicAgentFailures } from '../../../apps/edge/wire/version-faults.ts';

const owner = { consecutiveAgentFailures: 7 };

const qualifying: OutcomeRow = {
  phase: 'QUALIFYING',
  status: 'FAILED',
  completedAt: new Date(100),
  failureClass: 'AGENT',
  raceStatus: null,
  raceReleasedAt: null,
  nowMs: 1000,
  isForgiven: false,
};
const fault = (at: number, other: Partial<OutcomeRow> = {}): OutcomeRow => ({
  ...qualifying,
  completedAt: new Date(at),
  ...other,
});
const success = (at: number, other: Partial<OutcomeRow> = {}) =>
  fault(at, { status: 'SUCCESS', failureClass: null, ...other });

const race = { phase: 'RACE' } as const;
const released = { ...race, raceStatus: 'RACE_COMPLETE', raceReleasedAt: new Date(900) };
const sealed = {
  running: { ...race, raceStatus: 'RACE_RUNNING' },
  embargoed: { ...race, raceStatus: 'RACE_COMPLETE', raceReleasedAt: new Date(1100) },
  cancelled: { ...race, raceStatus: 'RACE_CANCELLED' },
};

const counted = (runs: readonly OutcomeRow[]) => publicAgentFailures(owner, runs);
const forgiven = (runs: readonly OutcomeRow[]) => runs.map((run) => ({ ...run, isForgiven: true }));

test('what the owner counts is told while nothing is under seal', (t) => {
  t.is(counted([]), 7);
  t.is(counted([fault(100), fault(200, released)]), 7);
});

for (const [name, seal] of Object.entries(sealed)) {
  const live = fault(0, { ...seal, status: 'RUNNING', completedAt: null, failureClass: null });

  test(`beside a ${name} race the public runs are counted, in the order of their ends`, (t) => {
    t.is(counted([live]), 0);
    t.is(counted([fault(300), success(200), fault(100), live]), 1);
    t.is(counted([fault(100), fault(200, { ...released, status: 'TIMED_OUT' }), live]), 2);
    t.is(counted([fault(100), success(200, released), live]), 0);
    const others = ['PROVIDER', 'UNATTRIBUTED', 'INTEGRITY'].map((failureClass, place) =>
      fault(200 + place, { failureClass }),
    );
    const stale = fault(300, { status: 'STALE' });
    t.is(counted([fault(100), ...others, stale, live]), 1, 'faults of others leave the count');
  });

  test(`nothing that came of a ${name} race shows in the count`, (t) => {
    const others = [...forgiven([fault(50)]), fault(100), fault(300, released)];
    const outcomes = [live, fault(200, seal), success(400, seal), fault(400, seal)];
    t.deepEqual(
      outcomes.map((outcome) => counted([...others, outcome])),
      [2, 2, 2, 2],
    );
  });

  test(`beside a ${name} race a reinstatement forgives`, (t) => {
    const discarded = [fault(100), fault(200), fault(300), live];
    t.is(counted(discarded), 3);
    t.is(counted([...forgiven(discarded.slice(0, 3)), live]), 0);
    t.is(counted([...forgiven(discarded.slice(0, 3)), fault(500), live]), 1);
  });
}
