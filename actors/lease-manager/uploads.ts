import { Fault } from '../../machines/fault.ts';
import { refusal } from '../../machines/refusal.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { type HeldRun, heldRun } from './own-run.ts';

/** Of artifacts, and as many of logs, for each task or problem: what is sent again is sent anew. */
const uploadsPerItemMax = 4;
/** Of a run of few items. */
const uploadsLeastMax = 40;

/** Registers an artifact, so that a result of the same run may refer to it. */
export function presignArtifact(draft: Draft, request: EvalRequest<'presign-artifact'>): Answer {
  const held = heldRun(draft, request);
  if (held instanceof Fault) return refused(held);
  if (held.run.context.envPackSha256 !== request.envPackSha256) {
    return refused(packMismatch(held));
  }
  const reply: EvalReply<'presign-artifact'> = { leaseExpiresAt: held.leaseUntilMs };
  const { evalRunId, artifactSha256, contentLength } = request;
  const ledger = draft.ledger(evalRunId);
  if (ledger.artifactSha256.has(artifactSha256)) return accepted(reply);
  const surplus = surplusOf(held, ledger.artifactSha256.size);
  if (surplus !== undefined) return refused(surplus);
  draft.setLedger(evalRunId, {
    ...ledger,
    artifactSha256: ledger.artifactSha256.with(artifactSha256),
  });
  draft.operation('episode_artifact', {
    eval_run_id: evalRunId,
    artifact_sha256: artifactSha256,
    content_length: contentLength,
  });
  return accepted(reply, held.leaseUntilMs);
}

/** Whether the caller may upload logs of this problem now: each time is one upload of the run's. */
export function authorizeUpload(draft: Draft, request: EvalRequest<'authorize-upload'>): Answer {
  const held = heldRun(draft, request);
  if (held instanceof Fault) return refused(held);
  if (!draft.state.roster(held.run.context).problemIds.has(request.problemId)) {
    return refused(refusal('INVALID_PROBLEM_ID'));
  }
  const { evalRunId } = request;
  const ledger = draft.ledger(evalRunId);
  const surplus = surplusOf(held, ledger.logUploads);
  if (surplus !== undefined) return refused(surplus);
  draft.setLedger(evalRunId, { ...ledger, logUploads: ledger.logUploads + 1 });
  const reply: EvalReply<'authorize-upload'> = { leaseExpiresAt: held.leaseUntilMs };
  return accepted(reply);
}

function packMismatch({ run }: HeldRun): Fault {
  const { envPackSha256 } = run.context;
  if (envPackSha256 !== null) {
    return refusal('PACK_MISMATCH', { says: `The pack of this run is ${envPackSha256}.` });
  }
  return refusal('PACK_MISMATCH', {
    says: 'This run is done without a pack.',
    next: 'Send no artifacts of it.',
  });
}

/** Why there is no room for one more: the store would fill with what no result refers to. */
function surplusOf({ run }: HeldRun, uploads: number): Fault | undefined {
  const uploadsMax = Math.max(uploadsPerItemMax * run.context.expectedItems, uploadsLeastMax);
  if (uploads < uploadsMax) return undefined;
  return refusal('AT_CAPACITY', {
    says: `A run of ${run.context.expectedItems} items has at most ${uploadsMax} uploads of a kind, and this one has had them.`,
    next: 'Complete it with what was uploaded.',
  });
}
