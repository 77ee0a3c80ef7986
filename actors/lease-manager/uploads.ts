import { Fault } from '../../machines/fault.ts';
import { type Answer, accepted, refused } from './answer.ts';
import type { Draft } from './draft.ts';
import type { EvalReply, EvalRequest } from './messages.ts';
import { heldRun } from './own-run.ts';

/** Registers an artifact, so that a result of the same run may refer to it. */
export function presignArtifact(draft: Draft, request: EvalRequest<'presign-artifact'>): Answer {
  const held = heldRun(draft, request);
  if (held instanceof Fault) return refused(held);
  if (held.run.context.envPackSha256 !== request.envPackSha256) {
    return refused(new Fault('PACK_MISMATCH', 'env_pack_sha256 is not of this run'));
  }
  const reply: EvalReply<'presign-artifact'> = { leaseExpiresAt: held.leaseUntilMs };
  const { evalRunId, artifactSha256, contentLength } = request;
  const ledger = draft.ledger(evalRunId);
  if (ledger.artifactSha256.has(artifactSha256)) return accepted(reply);
  draft.setLedger(evalRunId, {
    ...ledger,
    artifactSha256: new Set([...ledger.artifactSha256, artifactSha256]),
  });
  draft.operation('episode_artifact', {
    eval_run_id: evalRunId,
    artifact_sha256: artifactSha256,
    content_length: contentLength,
  });
  return accepted(reply, held.leaseUntilMs);
}

/** Whether the caller may upload logs of this problem now. */
export function authorizeUpload(draft: Draft, request: EvalRequest<'authorize-upload'>): Answer {
  const held = heldRun(draft, request);
  if (held instanceof Fault) return refused(held);
  if (!draft.state.roster(held.run.context).problemIds.has(request.problemId)) {
    return refused(new Fault('INVALID_PROBLEM_ID', 'problem_id is not of this run'));
  }
  const reply: EvalReply<'authorize-upload'> = { leaseExpiresAt: held.leaseUntilMs };
  return accepted(reply);
}
