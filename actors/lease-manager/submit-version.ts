import { refusal } from '../../machines/refusal.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { instant } from './read-rows.ts';

/**
 * Admits a checked submission. Cooldown, ban, active suite and version number are settled by the
 * apply function under the miner row's lock, which alone sees all partitions.
 */
export function submitVersion(draft: Draft, submission: EvalRequest<'submit-version'>): Answer {
  const { agentVersionId, minerHotkey, minerColdkey, suiteId } = submission;
  const suite = draft.state.suites.get(suiteId);
  if (suite === undefined) {
    return refused(refusal('NO_ACTIVE_SUITE'));
  }
  if (draft.aggregate(agentVersionId) !== undefined) {
    return refused(refusal('IDEMPOTENCY_CONFLICT'));
  }
  const requiredSuccesses = suite.requiredSuccessesQualifying;
  const workItemId = draft.derivedId(`${agentVersionId}:QUALIFYING`);
  const nextAllowedAt = draft.nowMs + draft.policy.cooldownMs;

  const version = { ...submission, submittedAt: draft.nowMs, requiredSuccesses };
  draft.recordVersion(agentVersionId, [{ type: 'RECEIVED', version }, { type: 'QUEUED' }]);
  const work = {
    workItemId,
    agentVersionId,
    suiteId,
    phase: 'QUALIFYING',
    raceId: null,
    minerHotkey,
    minerColdkey,
    requiredSuccesses,
    queuedAt: draft.nowMs,
  } as const;
  draft.recordItem(agentVersionId, workItemId, [{ type: 'OPENED', work }]);
  admit(draft, submission, { workItemId, requiredSuccesses, nextAllowedAt });
  draft.publish('submission-accepted', {
    agentVersionId,
    agentName: submission.agentName,
    minerHotkey,
    suiteId,
  });
  const reply: EvalReply<'submit-version'> = {
    agentId: submission.agentId,
    agentVersionId,
    nextAllowedAt,
  };
  return accepted(reply);
}

function admit(
  draft: Draft,
  submission: EvalRequest<'submit-version'>,
  admission: { workItemId: string; requiredSuccesses: number; nextAllowedAt: number },
): void {
  draft.operation('admit_submission', {
    agent_version_id: submission.agentVersionId,
    agent_id: submission.agentId,
    agent_name: submission.agentName,
    miner_hotkey: submission.minerHotkey,
    miner_coldkey: submission.minerColdkey,
    suite_id: submission.suiteId,
    code_sha256: submission.codeSha256,
    code_size_bytes: submission.codeSizeBytes,
    submitted_at: instant(draft.nowMs),
    next_allowed_at: instant(admission.nextAllowedAt),
    required_successes: admission.requiredSuccesses,
    work_item_id: admission.workItemId,
    queue_spacing_ms: draft.policy.queueSpacingMs,
  });
}
