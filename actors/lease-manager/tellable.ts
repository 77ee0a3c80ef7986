import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { PartitionState } from './partition-state.ts';

/**
 * What may be told of a lease that is kept in memory until `keptMs`: what lies beyond is kept, and not
 * told, since another owner may not know of it.
 */
export function tellable(
  { deadlines }: PartitionState,
  { context }: RunState,
  { keptMs, nowMs }: { readonly keptMs: number; readonly nowMs: number },
): number {
  return Math.min(keptMs, Math.max(context.leaseUntil, deadlines.freshUntil(nowMs)));
}
