import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
import type { AgentVersionStatus, EvaluationRun } from '../../cli/client/schemas.generated.ts';
import type { OperatorClient } from '../operator-client.ts';
import { participantKeypair } from '../participants/keys.ts';
import { validatorName } from './names.ts';
import type { Story } from './story.ts';

/** Seen of a run so far, as the public sees it. */
type Seen = 'claimed' | 'ended';

/**
 * Tells the story of validators that are processes of their own, which tell us nothing themselves:
 * by the public routes, as anybody might.
 */
export function runWatch(
  options: {
    readonly operator: OperatorClient;
    readonly seed: number;
    readonly validators: number;
  },
  story: Story,
): (status: AgentVersionStatus) => Promise<void> {
  const { operator, seed, validators } = options;
  const names = new Map(
    Array.from({ length: validators }, (_, index) => {
      const { publicKey } = participantKeypair(seed, 'validator', index);
      return [encodeHotkey(publicKey), validatorName(index)] as const;
    }),
  );
  const seen = new Map<string, Seen>();
  const successes = new Map<string, number>();

  function tellEnd(run: EvaluationRun, about: AboutRun, requiredSuccesses: number): void {
    const { agentVersionId } = about;
    const isSuccess = run.status === 'SUCCESS';
    const includedSuccessCount = (successes.get(agentVersionId) ?? 0) + (isSuccess ? 1 : 0);
    successes.set(agentVersionId, includedSuccessCount);
    story.hear({
      ...{ kind: 'completed', completeMs: 0, ...about, status: run.status },
      ...{ score: run.validator_score, failureClass: run.failure_class },
      ...{ includedSuccessCount, requiredSuccesses, becameEligible: false, finalScore: null },
    });
  }

  // The status was read before: the runs that made a version eligible are among those read now.
  return async (status) => {
    const { agent_version_id: agentVersionId } = status;
    const runs = await operator.api.getPublicAgentVersionsRuns({
      agent_version_id: agentVersionId,
    });
    for (const run of runs.toSorted(
      (a, b) => Date.parse(a.claimed_at) - Date.parse(b.claimed_at),
    )) {
      const { eval_run_id: evalRunId } = run;
      const who = names.get(run.validator_hotkey) ?? 'a validator';
      const about = { who, evalRunId, agentVersionId };
      const before = seen.get(evalRunId);
      const hasEnded = run.completed_at !== null;
      seen.set(evalRunId, hasEnded ? 'ended' : 'claimed');
      if (before === undefined) story.hear({ kind: 'claimed', claimMs: 0, ...about });
      if (hasEnded && before !== 'ended') tellEnd(run, about, status.required_successes);
    }
    if (status.state === 'ELIGIBLE') story.eligible(agentVersionId, status.final_score);
  };
}

interface AboutRun {
  readonly who: string;
  readonly evalRunId: string;
  readonly agentVersionId: string;
}
