import type { EpisodeOutcome } from '../../../machines/types.ts';
import { type Ending, isAgentEnd } from '../sandbox/ending.ts';
import type { CheckResult, Verdict } from '../shop/grade.ts';
import type { Order } from '../shop/shopping.ts';
import type { KeptStep } from './kept-steps.ts';

export interface EpisodeFacts {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly packSha256: string;
  readonly taskId: string;
  readonly family: string;
  readonly goalText: string;
  readonly ending: Ending;
  /** Undefined where the verifier itself failed, or nothing was there to be graded. */
  readonly verdict: Verdict | undefined;
  readonly order: Order | undefined;
  readonly steps: readonly KeptStep[];
}

export function isSolved(facts: EpisodeFacts): boolean {
  return outcomeOf(facts) === 'completed' && facts.verdict?.isCorrect === true;
}

/**
 * What the task came to. Nothing that an agent does leads to an error of the environment or of the
 * verifier, which cost it nothing.
 */
export function outcomeOf({ ending, verdict, order }: EpisodeFacts): EpisodeOutcome {
  if (isAgentEnd(ending.reason)) return 'agent_error';
  if (ending.reason !== 'finished') return 'environment_error';
  if (verdict === undefined) return 'verifier_error';
  return order === undefined ? 'partial' : 'completed';
}

const hasNoState: ReadonlySet<EpisodeOutcome> = new Set([
  'agent_error',
  'environment_error',
  'verifier_error',
]);

function checksOf(facts: EpisodeFacts): Readonly<Record<string, CheckResult>> {
  const { ending, verdict } = facts;
  if (ending.reason === 'finished') return verdict?.checks ?? {};
  return { [ending.reason]: 'failed' };
}

/** One item of a batch; `ledgerUri` is where the whole episode was put. */
export function toItem(
  facts: EpisodeFacts,
  kept: { readonly ledgerUri: string | null; readonly stateHash: string },
) {
  const outcome = outcomeOf(facts);
  const isCorrect = isSolved(facts);
  const rewardMicro = isCorrect ? (facts.verdict?.rewardMicro ?? null) : null;
  return {
    eval_run_id: facts.evalRunId,
    env_pack_sha256: facts.packSha256,
    task_id: facts.taskId,
    family: facts.family,
    outcome,
    verdict_correct: isCorrect,
    verdict_checks: checksOf(facts),
    reward_components: facts.verdict?.components ?? {},
    aggregate_reward: rewardMicro === null ? null : (rewardMicro / 1_000_000).toFixed(6),
    wall_seconds: Math.round(facts.ending.wallSeconds * 1000) / 1000,
    terminal_state_hash: hasNoState.has(outcome) ? null : kept.stateHash,
    ledger_uri: kept.ledgerUri,
    step_count: facts.steps.length,
  };
}

/** What the shop was left with, by which two runs of the same behaviour are known to be the same. */
export function terminalState({ order, steps }: EpisodeFacts): string {
  const products = order?.products.map(({ productId }) => productId) ?? null;
  return JSON.stringify({
    order: products,
    voucher: order?.voucher?.code ?? null,
    total_cents: order?.totalCents ?? null,
    steps: steps.length,
  });
}

/**
 * The whole episode, for whoever wants to see what the agent did. Holds no answer of the pack, and no word of
 * this machine: neither what a box said that did not come up, nor why tools of ours failed.
 */
export function episodeDocument(facts: EpisodeFacts): string {
  const { ending, order } = facts;
  const { evalRunId: eval_run_id, ledgerless } = { ...facts, ledgerless: toItem(facts, noPlace) };
  const { ledger_uri: _uri, terminal_state_hash: _hash, ...item } = ledgerless;
  const isAgents = ending.reason === 'finished' || isAgentEnd(ending.reason);
  const told = (words: string) => (isAgents ? words : '');
  return `${JSON.stringify({
    schema_version: '1',
    ...item,
    eval_run_id,
    agent_version_id: facts.agentVersionId,
    goal_text: facts.goalText,
    end: { reason: ending.reason, detail: told(ending.detail), exit_code: ending.exitCode },
    order:
      order === undefined
        ? null
        : {
            product_ids: order.products.map(({ productId }) => productId),
            voucher: order.voucher?.code ?? null,
            total_cents: order.totalCents,
          },
    steps: facts.steps.map((step, index) => ({ index, ...step })),
    stdout_tail: told(ending.stdoutTail),
    stderr_tail: told(ending.stderrTail),
  })}\n`;
}

const noPlace = { ledgerUri: null, stateHash: '' };
