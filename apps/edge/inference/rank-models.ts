import type { ServedModel } from '../../../infra/ports/inference.ts';

/** One allowed model, as the last look at its provider saw it; nulls where nobody knows. */
export interface RankedModel {
  readonly modelId: string;
  readonly healthy: boolean | null;
  readonly load: number | null;
  readonly latencyMs: number | null;
  readonly served: boolean | null;
}

/**
 * The healthy first, then the less loaded, the quicker, and by id; what is unknown comes after what
 * is known. A model that is not served any more is not healthy. Without a look, in the given order.
 */
export function rankModels(
  allowed: readonly string[],
  seen: readonly ServedModel[] | undefined,
): readonly RankedModel[] {
  const unknown = { healthy: null, load: null, latencyMs: null };
  if (seen === undefined) return allowed.map((modelId) => ({ modelId, ...unknown, served: null }));
  const byId = new Map(seen.map((model) => [model.modelId, model]));
  return allowed
    .map((modelId) => {
      const model = byId.get(modelId);
      if (model === undefined) return { modelId, ...unknown, healthy: false, served: false };
      const { healthy, load, latencyMs } = model;
      return { modelId, healthy, load, latencyMs, served: true };
    })
    .sort(byRank);
}

function byRank(left: RankedModel, right: RankedModel): number {
  return (
    Number(right.healthy) - Number(left.healthy) ||
    unknownLast(left.load, right.load) ||
    unknownLast(left.latencyMs, right.latencyMs) ||
    Number(right.served) - Number(left.served) ||
    (left.modelId < right.modelId ? -1 : 1)
  );
}

function unknownLast(left: number | null, right: number | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return left - right;
}
