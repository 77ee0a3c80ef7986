import type { Unavailability } from './availability.ts';
import { longRunMinutes } from './reachability.ts';
import { type Reclaims, reclaimTargetMs } from './reclaims.ts';

/** What was measured at worst, and what was promised of it. Milliseconds. */
export interface Figure {
  readonly name: string;
  readonly ms: number;
  readonly targetMs: number;
  /** More is a violation, in runs that are long enough to judge it. */
  readonly mostMs: number;
}

export type Grade = 'within the target' | 'within the slack' | 'beyond the slack';

/**
 * Targets are the service's on a machine of its own. Here clients, proxies, six processes and their
 * neighbours share a few processors, and a fault that was just over may still be felt in the next: as
 * much longer may a takeover take before it is one that got slower.
 */
const takeoverSlack = 1.5;
/** The end of a lease shares its second with the next turn of a crowded machine. */
const reclaimSlack = 2;

/** Takeovers by faults that were alone, and the work of silent validators. */
export function figuresOf(
  rows: readonly Unavailability[],
  { worstLateMs }: Pick<Reclaims, 'worstLateMs'>,
): readonly Figure[] {
  return [...rows.flatMap(takeoverOf), ...(worstLateMs === null ? [] : [reclaimOf(worstLateMs)])];
}

export function takeoverOf({ kind, worstAloneMs, targetMs }: Unavailability): Figure[] {
  if (worstAloneMs === null || targetMs === null) return [];
  const mostMs = targetMs * takeoverSlack;
  return [{ name: `takeover after ${kind}`, ms: worstAloneMs, targetMs, mostMs }];
}

export function reclaimOf(worstLateMs: number): Figure {
  const mostMs = reclaimTargetMs * reclaimSlack;
  return { name: 'reclaim', ms: worstLateMs, targetMs: reclaimTargetMs, mostMs };
}

export function gradeOf({ ms, targetMs, mostMs }: Figure): Grade {
  if (ms <= targetMs) return 'within the target';
  return ms <= mostMs ? 'within the slack' : 'beyond the slack';
}

/** Figures beyond their slack; in runs that are too short to judge them, none. */
export function slowness(figures: readonly Figure[], seconds: number): string[] {
  if (isTooShort(seconds)) return [];
  return figures
    .filter((figure) => gradeOf(figure) === 'beyond the slack')
    .map(({ name, ms, mostMs }) => `too slow: ${name}, ${Math.round(ms)} ms, more than ${mostMs}`);
}

/** What a proof says of its figures: a target that was missed is told, though nothing is violated. */
export function withinTargets(figures: readonly Figure[], seconds: number): string {
  const told = (grade: Grade, words: string) => {
    const found = figures.filter((figure) => gradeOf(figure) === grade).map(shown);
    return found.length === 0 ? [] : [`${words}: ${found.join(', ')}`];
  };
  const unjudged = `too slow, and not judged in less than ${longRunMinutes} minutes`;
  const missed = [
    ...told('within the slack', 'missed its target, within the slack'),
    ...(isTooShort(seconds) ? told('beyond the slack', unjudged) : []),
  ];
  return missed.length === 0 ? 'within every target that was measured' : missed.join('; ');
}

function shown({ name, ms, targetMs }: Figure): string {
  return `${name} (${(ms / 1000).toFixed(1)} s of ${targetMs / 1000} s)`;
}

function isTooShort(seconds: number): boolean {
  return seconds < longRunMinutes * 60;
}
