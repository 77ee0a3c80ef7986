import { sha256Hex } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type {
  PaddockClient,
  PostValidatorEpisodeResultsRequest,
  PostValidatorEvaluationRunsCompleteRequest,
} from '../../cli/client/paddock.generated.ts';
import { Refusal } from '../../cli/client/refusal.ts';
import { putBytes } from '../transfer.ts';
import { attemptOf, type Delivery, type EpisodeDelivery, withinPatience } from './delivery.ts';
import type { Attempted } from './delivery-queue.ts';

type Complete = PostValidatorEvaluationRunsCompleteRequest['body'];
type Results = PostValidatorEpisodeResultsRequest['body']['results'];

export interface Sending {
  readonly onUnproved: () => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One attempt to bring a delivery to the service, and what the answer means. */
export async function sendDelivery(
  api: PaddockClient,
  one: Delivery,
  { onUnproved, clock, signal }: Sending,
): Promise<Attempted> {
  try {
    return await deliver(api, one, { clock, signal });
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) onUnproved();
    return withinPatience(one, attempted(error), clock.nowMs());
  }
}

function attempted(error: unknown): Attempted {
  const retryAfterSeconds = error instanceof Refusal ? error.retryAfterSeconds : undefined;
  return { ...attemptOf(error), retryAfterSeconds };
}

/** An address that takes this episode for some minutes, and the one under which it will be known. */
export async function presignEpisode(
  api: PaddockClient,
  { evalRunId, packSha256, document }: EpisodeDelivery,
  signal: AbortSignal,
) {
  const target = await api.postValidatorEpisodeArtifactsPresign(
    {
      body: {
        eval_run_id: evalRunId,
        env_pack_sha256: packSha256,
        artifact_sha256: sha256Hex(document),
        content_length: Buffer.byteLength(document),
      },
    },
    { signal },
  );
  return { url: target.upload_url, uri: target.artifact_uri };
}

export async function putEpisode(
  url: string,
  { document }: EpisodeDelivery,
  by: Pick<Sending, 'clock' | 'signal'>,
): Promise<void> {
  const contentType = 'application/octet-stream';
  const { clock, signal } = by;
  await putBytes(url, Buffer.from(document), { contentType, clock, signal });
}

async function deliver(
  api: PaddockClient,
  one: Delivery,
  { clock, signal }: Pick<Sending, 'clock' | 'signal'>,
): Promise<Attempted> {
  if (one.kind === 'completion') {
    // Sound because nobody but us has written it, from that very type.
    const body = one.body as Complete;
    const { evalRunId: eval_run_id, idempotencyKey } = one;
    const answer = await api.postValidatorEvaluationRunsComplete(
      { eval_run_id, idempotencyKey, body },
      { signal },
    );
    return { kind: 'acknowledged', answer };
  }
  if (one.kind === 'release') {
    const answer = await api.postValidatorEvaluationRunsRelease(
      { eval_run_id: one.evalRunId },
      { signal },
    );
    return { kind: 'acknowledged', answer };
  }
  if (one.kind === 'episode') {
    const { url, uri } = await presignEpisode(api, one, signal);
    await putEpisode(url, one, { clock, signal });
    return { kind: 'acknowledged', answer: uri };
  }
  // Sound as the body of a completion is.
  const results = one.items as Results;
  const answer = await api.postValidatorEpisodeResults({ body: { results } }, { signal });
  // 409 is an item that an attempt whose answer was lost had already stored.
  const bad = answer.results.find(({ status }) => status !== 201 && status !== 409);
  if (bad === undefined) return { kind: 'acknowledged', answer };
  return { kind: 'refused', reason: `task ${bad.task_id}: ${bad.status} ${bad.error ?? ''}` };
}
