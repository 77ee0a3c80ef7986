import test from 'ava';
import type { Attempt } from '../clients/history.ts';
import { checkLinearizable } from './linearizable.ts';
import { operationsOf } from './run-histories.ts';
import { runModel } from './run-model.ts';

/** Asked at 1 s without an answer; the run went stale at 20 s; asked again at 31 s, and answered. */
function answeredLate(isKeyed: boolean) {
  const claim: Attempt = {
    ...{ client: 'val', sent: { kind: 'claim', isKeyed }, door: '', status: 200, code: '' },
    ...{ firstCallMs: 1_000, callMs: 31_000, returnMs: 31_100, outcome: 'acknowledged' },
    told: { evalRunId: 'run', leaseUntilMs: 19_000 },
  };
  const row = { id: 'run', status: 'STALE', taskIds: [], endedByServiceMs: 20_000 };
  return checkLinearizable(runModel, operationsOf([claim], row)).kind;
}

test('a claim under a key may be answered with what its first try was granted', (t) => {
  t.is(answeredLate(true), 'linearizable');
});

test('a claim without a key is not answered with a run that was over before it was asked', (t) => {
  t.is(answeredLate(false), 'impossible');
});
