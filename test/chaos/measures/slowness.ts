import type { Unavailability } from './availability.ts';
import { longRunMinutes } from './reachability.ts';
import type { Reclaims } from './reclaims.ts';

/**
 * Targets are the service's on a machine of its own. Here clients, proxies, six processes and their
 * neighbours share a few processors, and a fault that was just over may still be felt in the next: as
 * much longer may a takeover take before it is one that got slower.
 */
const takeoverSlack = 1.5;
/** Of one second, which the end of a lease shares with the next turn of a crowded machine. */
const reclaimTargetMs = 1_000;
const reclaimSlack = 2;

/** Takeovers and reclaims that take too long; in runs that are too short to judge them, none. */
export function slowness(
  rows: readonly Unavailability[],
  { worstLateMs }: Pick<Reclaims, 'worstLateMs'>,
  seconds: number,
): string[] {
  if (seconds < longRunMinutes * 60) return [];
  const slow = rows.flatMap(({ kind, worstAloneMs, targetMs }) => {
    if (worstAloneMs === null || targetMs === null) return [];
    const late = lateness(worstAloneMs, targetMs * takeoverSlack);
    return late === undefined ? [] : [`slow takeover: after ${kind} ${late}`];
  });
  const late = lateness(worstLateMs ?? 0, reclaimTargetMs * reclaimSlack);
  if (late !== undefined) slow.push(`slow reclaim: after the end of a lease ${late}`);
  return slow;
}

function lateness(ms: number, mostMs: number): string | undefined {
  return ms > mostMs ? `${Math.round(ms)} ms, more than ${mostMs}` : undefined;
}
