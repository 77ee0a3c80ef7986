import test from 'ava';
import {
  decideReinstatement,
  decideRunEnd,
  decideScores,
} from '../../machines/agent-version/decide.ts';
import type { VersionFact } from '../../machines/agent-version/facts.ts';
import { agentVersion } from '../../machines/agent-version/machine.ts';
import { evolve, fold, ModelBug } from '../../machines/kernel.ts';

const received: VersionFact = {
  type: 'RECEIVED',
  version: {
    agentVersionId: 'version',
    agentId: 'agent',
    agentName: 'name',
    minerHotkey: 'miner',
    minerColdkey: null,
    suiteId: 1,
    codeSha256: 'ef',
    codeSizeBytes: 1,
    submittedAt: 0,
    requiredSuccesses: 2,
  },
};
const running: VersionFact[] = [received, { type: 'QUEUED' }, { type: 'EVALUATION_STARTED' }];
const scores = { mean: '0.5000', low: null, high: null };

test('a version becomes eligible with its first scores only', (t) => {
  const version = fold(agentVersion, running);
  const eligible = fold(agentVersion, decideScores(version, scores, 5), version);
  const without = fold(agentVersion, decideScores(eligible, null, 6), eligible);
  const again = fold(agentVersion, decideScores(without, scores, 7), without);

  t.is(eligible.value, 'eligible');
  t.is(without.value, 'eligible');
  t.is(without.context.scores.mean, null);
  t.is(again.context.eligibleAt, 5);
  t.deepEqual(again, eligible);
});

test('nothing goes on after a discard or a cancellation', (t) => {
  for (const type of ['DISCARDED', 'VERSION_CANCELLED'] as const) {
    const ended = fold(agentVersion, [...running, { type, at: 1, reason: 'INTEGRITY' }]);
    for (const fact of [...running, { type, at: 2, reason: 'Y' }]) {
      t.throws(() => evolve(agentVersion, ended, fact), { instanceOf: ModelBug });
    }
    t.deepEqual(decideRunEnd(ended, { faultClass: 'AGENT', nowMs: 3, agentFailureLimit: 1 }), []);
  }
});

test('a discard that is taken back leaves the version where it stood', (t) => {
  const discarded: VersionFact = { type: 'DISCARDED', at: 9, reason: 'INTEGRITY' };
  const restored = (facts: VersionFact[], wasEvaluated = true) => {
    const ended = fold(agentVersion, [...facts, discarded]);
    return fold(agentVersion, decideReinstatement(ended, wasEvaluated), ended);
  };
  const scored: VersionFact[] = [
    { type: 'SCORED', scores },
    { type: 'BECAME_ELIGIBLE', at: 5 },
  ];
  const eligible = restored([...running, ...scored, { type: 'AGENT_FAULT_COUNTED' }]);

  t.deepEqual(eligible, fold(agentVersion, [...running, ...scored]));
  t.is(restored(running).value, 'running');
  t.is(restored(running.slice(0, 2), false).value, 'queued');
  t.deepEqual(decideReinstatement(eligible, true), []);
});

test('nobody is reinstated as eligible who never was', (t) => {
  const discarded = fold(agentVersion, [
    ...running,
    { type: 'DISCARDED', at: 9, reason: 'INTEGRITY' },
  ]);

  t.throws(() => evolve(agentVersion, discarded, { type: 'REINSTATED', to: 'eligible' }), {
    instanceOf: ModelBug,
  });
});

test('a discarded version keeps a score, and does not become eligible by one', (t) => {
  const ended = fold(agentVersion, [...running, { type: 'DISCARDED', at: 9, reason: 'INTEGRITY' }]);

  t.deepEqual(decideScores(ended, scores, 10), [{ type: 'SCORED', scores }]);
});

test('only faults of the agent and of integrity count against a version', (t) => {
  const version = fold(agentVersion, running);
  const types = (
    faultClass: 'AGENT' | 'INTEGRITY' | 'PLATFORM' | 'UNATTRIBUTED' | null,
    agentFailureLimit: number,
  ) => decideRunEnd(version, { faultClass, nowMs: 3, agentFailureLimit }).map(({ type }) => type);

  t.deepEqual(types('AGENT', 2), ['AGENT_FAULT_COUNTED']);
  t.deepEqual(types('AGENT', 1), ['AGENT_FAULT_COUNTED', 'DISCARDED']);
  t.deepEqual(types('INTEGRITY', 9), ['DISCARDED']);
  t.deepEqual(types('PLATFORM', 1), []);
  t.deepEqual(types('UNATTRIBUTED', 1), []);
  t.deepEqual(types(null, 1), []);
});
