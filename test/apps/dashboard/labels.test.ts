import test from 'ava';
import {
  failureOf,
  isApart,
  pairsOf,
  type RunItem,
} from '../../../apps/dashboard/browser/pages/run-outcomes.ts';
import { labelOf } from '../../../apps/dashboard/browser/trajectory/labels.ts';

test('a record says what it is and why it failed', (t) => {
  t.deepEqual(labelOf('{"type": "tool_call", "error": null}'), {
    kind: 'tool_call',
    failure: undefined,
  });
  t.is(labelOf('{"error": "timed out"}').failure, 'timed out');
  t.is(labelOf('{"error": {"code": 7}}').failure, '{"code":7}');
  t.is(labelOf('{"outcome": "agent_error"}').failure, 'agent_error');
  t.is(labelOf('{"a": 1, "ok": false}').failure, 'ok is false');
  t.is(labelOf('{"status": "completed", "ok": true}').failure, undefined);
});

test('a property is labelled by its name, and what is no JSON by nothing', (t) => {
  t.deepEqual(labelOf('"outcome": "exploit"'), { kind: 'outcome', failure: 'exploit' });
  t.deepEqual(labelOf('a line'), { kind: '', failure: undefined });
  t.deepEqual(labelOf('7'), { kind: '', failure: undefined });
});

const item = (id: string, told: Partial<RunItem> = {}): RunItem => ({
  item_id: id,
  item_kind: 'episode',
  family: null,
  status: 'completed',
  score: 1,
  verdict_status: 'passed',
  paid_reward: 1,
  check_summary: { passed: 1, failed: 0, unknown: 0 },
  reward_summary: { component_count: 0 },
  step_count: 1,
  eval_run_id: 'run',
  validator_hotkey: 'key',
  episode_result_id: null,
  ...told,
});

test('what did not pass is told in words, and by whose fault', (t) => {
  t.is(failureOf(item('a')), undefined);
  t.is(
    failureOf(item('a', { status: 'agent_error', verdict_status: 'failed' })),
    'The agent itself failed',
  );
  t.is(
    failureOf(item('a', { status: 'verifier_error', verdict_status: 'unknown' })),
    'The verifier failed; nobody is to blame',
  );
  const checks = { passed: 1, failed: 2, unknown: 0 };
  t.is(
    failureOf(item('a', { verdict_status: 'failed', check_summary: checks })),
    'It finished, but 2 checks failed',
  );
  t.is(failureOf(item('a', { verdict_status: 'failed' })), 'Its answer was wrong');
});

test('two runs are laid side by side by task, with what only one of them has', (t) => {
  const pairs = pairsOf([item('a'), item('b')], [item('b', { score: 0.5 }), item('c')]);

  t.deepEqual(
    pairs.map((pair) => [pair.id, pair.mine?.score, pair.other?.score, isApart(pair)]),
    [
      ['a', 1, undefined, true],
      ['b', 1, 0.5, true],
      ['c', undefined, 1, true],
    ],
  );
  t.false(isApart({ id: 'a', mine: item('a'), other: item('a') }));
});
