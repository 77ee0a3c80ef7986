import type { ServedModel } from '../../../infra/ports/inference.ts';

/** One allowed model, as the last look at its provider saw it; nulls where the provider says nothing. */
export interface RankedModel {
  readonly modelId: string;
  readonly healthy: boolean;
  readonly load: number | null;
  readonly latencyMs: number | null;
  readonly served: boolean;
}

/**
 * The healthy first, then the less loaded, the quicker, and by id; what is unknown comes after what
 * is known. A model that is not served any more is not healthy.
 */
export function rankModels(
  allowed: readonly string[],
  seen: readonly ServedModel[],
): readonly RankedModel[] {
  const byId = new Map(seen.map((model) => [model.modelId, model]));
  return allowed
    .map((modelId) => {
      const model = byId.get(modelId);
      const served = model !== undefined;
      const { healthy = false, load = null, latencyMs = null } = model ?? {};
      return { modelId, healthy, load, latencyMs, served };
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
