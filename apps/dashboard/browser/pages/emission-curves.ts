import type { Reign, Top } from '../../../cli/client/schemas.generated.ts';

/** By how much a challenger must be ahead after so many days of a reign. */
export function marginAt(policy: Top['policy'], days: number): number {
  const { margin_floor: floor, margin_initial: initial, margin_half_life_days: halfLife } = policy;
  return floor + (initial - floor) * 2 ** (-days / halfLife);
}

export interface ReignStep {
  readonly name: string;
  readonly from: number;
  readonly until: number;
  readonly score: number;
}

/** Oldest first; who still reigns does so until now. */
export function reignSteps(reigns: readonly Reign[], nowMs: number): readonly ReignStep[] {
  return reigns
    .map((reign) => ({
      name: `${reign.agent_name} v${reign.version_number}`,
      from: Date.parse(reign.top_at),
      until: reign.ended_at === null ? nowMs : Date.parse(reign.ended_at),
      score: reign.score,
    }))
    .toSorted((a, b) => a.from - b.from);
}

/** Instants at even distances, none so near an end that its text would be cut off. */
export function instantTicks([from, until]: readonly [number, number], count = 5): number[] {
  return Array.from({ length: count }, (_, at) => from + ((until - from) * (at + 0.5)) / count);
}
