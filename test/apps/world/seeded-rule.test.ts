import test from 'ava';
import {
  type AgentTraits,
  agentTraits,
  type SeededOutcome,
  tryTask,
} from '../../../apps/world/participants/seeded-rule.ts';
import { conclude } from '../../../apps/world/participants/solve-problems.ts';

const tasks = Array.from({ length: 30 }, (_, index) => `task-${index}`);
const agent = (care: number): AgentTraits => ({
  codeSha256: String(care),
  care,
  raisesAtStart: false,
});

function tryAll(of: AgentTraits, validatorHotkey: string, seed = 1): readonly SeededOutcome[] {
  return tasks.map((taskId) => tryTask({ seed, agent: of, taskId, validatorHotkey }));
}

function scoreOf(outcomes: readonly SeededOutcome[]): number {
  const micro = outcomes.reduce((sum, { rewardMicro }) => sum + (rewardMicro ?? 0), 0);
  return micro / 1_000_000 / outcomes.length;
}

test('the same trial always ends the same', (t) => {
  t.deepEqual(tryAll(agent(0.8), 'a'), tryAll(agent(0.8), 'a'));
});

test('another seed gives other results', (t) => {
  t.notDeepEqual(tryAll(agent(0.8), 'a', 1), tryAll(agent(0.8), 'a', 2));
});

test('validators differ, but by little', (t) => {
  const one = tryAll(agent(0.8), 'a');
  const other = tryAll(agent(0.8), 'b');

  t.notDeepEqual(one, other);
  t.true(Math.abs(scoreOf(one) - scoreOf(other)) < 0.2);
});

test('a careful agent scores above a hasty one', (t) => {
  const scores = [0.95, 0.6, 0.35].map((care) => scoreOf(tryAll(agent(care), 'a')));

  t.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  t.true((scores[0] ?? 0) > 0.55);
});

test('only what is correct is rewarded, in whole millionths of at most one', (t) => {
  for (const { isCorrect, rewardMicro, outcome } of tryAll(agent(0.9), 'a')) {
    t.is(rewardMicro !== null, isCorrect);
    if (rewardMicro === null) continue;
    t.is(outcome, 'completed');
    t.true(Number.isInteger(rewardMicro) && rewardMicro >= 0 && rewardMicro <= 1_000_000);
  }
});

test('the care of an agent is what its file says', (t) => {
  const traits = (code: string) => agentTraits(Buffer.from(code), 'hash');

  t.is(traits('x = 1\nCARE = 0.82\n').care, 0.82);
  t.is(traits('CARE: float = 0.4  # hasty\n').care, 0.4);
  t.is(traits('CARE = 1.7\n').care, 1);
  t.is(traits('print("no word of it")\n').care, 0.5);
});

test('an agent raises at its start only where nothing stands before the statement', (t) => {
  const raises = (code: string) => agentTraits(Buffer.from(code), 'hash').raisesAtStart;

  t.true(raises('import re\nraise RuntimeError("no")\n'));
  t.false(raises('def f():\n    raise ValueError("later")\n'));
  t.false(raises('raised = 1\n'));
});

test('a legacy score weighs success by reasoning up to 0.80', (t) => {
  t.is(conclude({ total: 4, solved: 2, reasoning: 4 * 0.8 }).score, 0.5);
  t.is(conclude({ total: 4, solved: 4, reasoning: 0 }).score, 0.3);
  t.is(conclude({ total: 2, solved: 2, reasoning: 2 * 0.4 }).score.toFixed(6), '0.650000');
  t.is(conclude({ total: 0, solved: 0, reasoning: 0 }).score, 0);
});
