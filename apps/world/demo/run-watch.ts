import { encodeHotkey } from '../../../infra/crypto/ss58.ts';
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
): (agentVersionId: string) => Promise<void> {
  const { operator, seed, validators } = options;
  const names = new Map(
    Array.from({ length: validators }, (_, index) => {
      const { publicKey } = participantKeypair(seed, 'validator', index);
      return [encodeHotkey(publicKey), validatorName(index)] as const;
    }),
  );
  const seen = new Map<string, Seen>();
  const eligible = new Set<string>();

  return async (agentVersionId) => {
    const asked = { agent_version_id: agentVersionId };
    // The status first: what it counts is then among the runs.
    const status = await operator.api.getPublicAgentVersionsStatus(asked);
    const runs = await operator.api.getPublicAgentVersionsRuns(asked);
    for (const run of runs.toSorted(
      (a, b) => Date.parse(a.claimed_at) - Date.parse(b.claimed_at),
    )) {
      const { eval_run_id: evalRunId } = run;
      const about = {
        who: names.get(run.validator_hotkey) ?? 'a validator',
        evalRunId,
        agentVersionId,
      };
      if (!seen.has(evalRunId)) story.hear({ kind: 'claimed', claimMs: 0, ...about });
      const hasEnded = run.completed_at !== null;
      if (hasEnded && seen.get(evalRunId) !== 'ended') {
        const becameEligible = status.state === 'ELIGIBLE' && !eligible.has(agentVersionId);
        if (becameEligible) eligible.add(agentVersionId);
        story.hear({
          ...{ kind: 'completed', completeMs: 0, ...about, status: run.status, becameEligible },
          score: run.validator_score,
          failureClass: run.failure_class,
          includedSuccessCount: status.included_success_count,
          requiredSuccesses: status.required_successes,
          finalScore: status.final_score,
        });
      }
      seen.set(evalRunId, hasEnded ? 'ended' : 'claimed');
    }
  };
}
