import test from 'ava';
import type { Attempt, Outcome, Sent, Told } from '../clients/history.ts';
import { checkLinearizable } from './linearizable.ts';
import { type RunOperation, runModel } from './run-model.ts';

let atMs = 0;

/** Each one is called after the one before has returned. */
function operation(
  sent: Partial<Sent> & Pick<Sent, 'kind'>,
  answer: { outcome?: Outcome; code?: string; told?: Told; isPastLease?: boolean },
): RunOperation {
  const { outcome = 'acknowledged', code = '', told = {}, isPastLease = false } = answer;
  atMs += 2;
  const times = { callMs: atMs, firstCallMs: atMs, door: '', returnMs: atMs + 1 };
  const isOptional = outcome === 'unknown';
  const attempt: Attempt = {
    ...{ client: 'a', sent: { isKeyed: false, evalRunId: 'r', ...sent }, ...times },
    ...{ outcome, code, told, status: outcome === 'unknown' ? 0 : 200 },
  };
  const returnMs = isOptional ? Number.POSITIVE_INFINITY : times.returnMs;
  return { kind: 'client', attempt, isPastLease, isOptional, callMs: times.callMs, returnMs };
}

const claim = () => operation({ kind: 'claim' }, { told: { evalRunId: 'r' } });
const beat = () => operation({ kind: 'heartbeat' }, {});
const beatLost = (isPastLease = false) =>
  operation({ kind: 'heartbeat' }, { outcome: 'rejected', code: 'LEASE_EXPIRED', isPastLease });
const results = (...statuses: number[]) =>
  operation(
    { kind: 'results', taskIds: statuses.map((_, index) => `t${index}`) },
    { told: { statuses } },
  );
const resultsUnknown = (...taskIds: string[]) =>
  operation({ kind: 'results', taskIds }, { outcome: 'unknown' });
const complete = (digest: string, runStatus = 'SUCCESS') =>
  operation({ kind: 'complete', digest }, { told: { runStatus } });
const completeUnknown = (digest: string) =>
  operation({ kind: 'complete', digest }, { outcome: 'unknown' });
const completeRefused = (digest: string, code: string) =>
  operation({ kind: 'complete', digest }, { outcome: 'rejected', code });
const stale = (): RunOperation => {
  atMs += 2;
  return { kind: 'ended', status: 'STALE', callMs: atMs, returnMs: atMs + 1, isOptional: false };
};
const seen = (status: string, ...taskIds: string[]): RunOperation => {
  return { kind: 'seen', status, taskIds, callMs: 1e9, returnMs: 1e9, isOptional: false };
};

const verdict = (...operations: readonly RunOperation[]) =>
  checkLinearizable(runModel, operations).kind;

test('a run is claimed, works and ends', (t) => {
  const history = [claim(), beat(), results(201, 201), results(409, 409), complete('x')];
  t.is(verdict(...history, complete('x'), seen('SUCCESS', 't0', 't1')), 'linearizable');
});

test('no write is acknowledged after the end of a lease', (t) => {
  t.is(verdict(claim(), stale(), beatLost(), seen('STALE')), 'linearizable');
  t.is(verdict(claim(), stale(), beat(), seen('STALE')), 'impossible');
  t.is(verdict(claim(), stale(), results(201), seen('STALE', 't0')), 'impossible');
  t.is(verdict(claim(), stale(), complete('x'), seen('STALE')), 'impossible');
});

test('a live run is refused only when its last promise is over', (t) => {
  t.is(verdict(claim(), beatLost(true), stale(), seen('STALE')), 'linearizable');
  t.is(verdict(claim(), beatLost(), stale(), seen('STALE')), 'impossible');
});

test('a result is stored once and is there at the end', (t) => {
  t.is(verdict(claim(), results(201), results(201), seen('live', 't0')), 'impossible');
  t.is(verdict(claim(), results(201), seen('live')), 'impossible');
  t.is(verdict(claim(), results(409), seen('live')), 'impossible');
});

test('a batch without an answer was stored whole, or not at all', (t) => {
  t.is(verdict(claim(), resultsUnknown('t0', 't1'), results(409, 409), beat()), 'linearizable');
  t.is(verdict(claim(), resultsUnknown('t0', 't1'), results(201, 201)), 'linearizable');
  t.is(verdict(claim(), resultsUnknown('t0', 't1'), results(409, 201)), 'impossible');
});

test('a run has one end, and an equal completion gets its answer again', (t) => {
  t.is(verdict(claim(), complete('x'), complete('y'), seen('SUCCESS')), 'impossible');
  const refused = (digest: string) => completeRefused(digest, 'RUN_ALREADY_COMPLETE');
  t.is(verdict(claim(), complete('x'), refused('y'), seen('SUCCESS')), 'linearizable');
  t.is(verdict(claim(), complete('x'), refused('x'), seen('SUCCESS')), 'impossible');
});

test('a completion without an answer may explain what is seen, once', (t) => {
  t.is(verdict(claim(), completeUnknown('x'), complete('x'), seen('SUCCESS')), 'linearizable');
  t.is(verdict(claim(), completeUnknown('x'), seen('FAILED')), 'linearizable');
  t.is(verdict(claim(), completeUnknown('x'), beat(), seen('live')), 'linearizable');
  t.is(verdict(claim(), seen('SUCCESS')), 'impossible');
});
