import type {
  PaddockClient,
  PostValidatorEvaluationRunsCompleteRequest,
} from '../../cli/client/paddock.generated.ts';
import { Refusal } from '../../cli/client/refusal.ts';
import { attemptOf, type Delivery } from './delivery.ts';
import type { Attempted } from './delivery-queue.ts';

type Complete = PostValidatorEvaluationRunsCompleteRequest['body'];

/** One attempt to bring a delivery to the service, and what the answer means. */
export async function sendDelivery(
  api: PaddockClient,
  one: Delivery,
  { onUnproved, signal }: { readonly onUnproved: () => void; readonly signal: AbortSignal },
): Promise<Attempted> {
  try {
    return await deliver(api, one, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Refusal)) return { kind: 'later', reason };
    if (error.status === 401) onUnproved();
    return { ...attemptOf(error.status, reason), retryAfterSeconds: error.retryAfterSeconds };
  }
}

async function deliver(api: PaddockClient, one: Delivery, signal: AbortSignal): Promise<Attempted> {
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
  const answer = await api.postValidatorEpisodeResults(
    { body: { results: one.items } },
    { signal },
  );
  // 409 is an item that an attempt whose answer was lost had already stored.
  const bad = answer.results.find(({ status }) => status !== 201 && status !== 409);
  if (bad === undefined) return { kind: 'acknowledged', answer };
  return { kind: 'refused', reason: `task ${bad.task_id}: ${bad.status} ${bad.error ?? ''}` };
}
