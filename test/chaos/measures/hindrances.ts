import { isStranded, strandedMs } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';
import type { Stall } from './loop-lag.ts';

/** What may keep the service from what it owes. It is read anew at each look: faults are added to it. */
export interface Hindrances {
  readonly injected: readonly Injected[];
  /** Of the process in which clients and proxies live: while it stands still, no line passes anything. */
  readonly stalls: readonly Stall[];
  readonly edges: number;
  readonly coordinators: number;
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Connections are made anew, partitions are taken over, a process comes up again. */
const aftermathMs = 5_000;
/** From here on a coordinator takes a late renewal for an outage. */
const stallMinMs = 1_000;
/** Faults that ended so long ago hinder nobody any more, however they ended. */
const forgottenMs = 300_000;

/**
 * When what last hindered a coordinator was over: `owner` is its member id; null asks for what no
 * coordinator could have done. Infinity while it is still at work, -Infinity where nothing was.
 *
 * Everybody is hindered by what befalls the database or the broker, and while all coordinators, or all
 * edges, are hindered at once: without an edge nothing is overdue.
 */
export function hinderedUntil(
  { injected, stalls, edges, coordinators }: Hindrances,
  atMs: number,
): (owner: string | null) => number {
  const of = (is: (fault: Injected['fault']) => boolean) =>
    injected.filter(({ fault, wasIdle }) => !wasIdle && is(fault)).flatMap(spanOf);
  const recent = ({ fromMs, untilMs }: Span) => fromMs <= atMs && untilMs > atMs - forgottenMs;
  const named = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${kind}-${index + 1}`).map((name) => ({
      name,
      spans: of((fault) => 'who' in fault && fault.who === name && !isDoor(fault)).filter(recent),
    }));
  const owners = named('coordinator', coordinators);
  const everybody = lastEnd(
    [
      ...of(isEverybodys),
      ...stalls.filter(({ lagMs }) => lagMs >= stallMinMs).map(stalled),
      ...common(owners.map(({ spans }) => spans)),
      ...common(named('edge', edges).map(({ spans }) => spans)),
    ].filter(recent),
    atMs,
  );
  const neighboursMs = lastEnd(of(isOfNeighbour).filter(recent), atMs);
  return (owner) => {
    if (owner === null) return Math.max(everybody, neighboursMs);
    const spans = owners.find(({ name }) => owner.startsWith(`${name}-`))?.spans ?? [];
    return Math.max(everybody, lastEnd(spans, atMs));
  };
}

function spanOf({ fault, startMs, endMs }: Injected): Span {
  return { fromMs: startMs, untilMs: endMs + (isStranded(fault) ? strandedMs : aftermathMs) };
}

function stalled({ fromMs, untilMs }: Stall): Span {
  return { fromMs, untilMs: untilMs + aftermathMs };
}

/** It befalls the database, the broker or all coordinators. */
export function isEverybodys({ kind }: Injected['fault']): boolean {
  return !['kill', 'terminate', 'freeze', 'line'].includes(kind);
}

/** What every process uses by itself, and no owner of anything waits for. */
function isOfNeighbour(fault: Injected['fault']): boolean {
  return fault.kind === 'line' && (fault.line === 'store' || fault.line === 'chain');
}

/** Clients' lines: who has another door is heard there. */
function isDoor(fault: Injected['fault']): boolean {
  return fault.kind === 'line' && fault.line === 'door';
}

/** Times in which each of them is hindered. */
function common(all: readonly (readonly Span[])[]): readonly Span[] {
  const [first = [], ...others] = all;
  return others.reduce<readonly Span[]>(
    (shared, spans) =>
      shared.flatMap((a) =>
        spans
          .map((b) => ({
            fromMs: Math.max(a.fromMs, b.fromMs),
            untilMs: Math.min(a.untilMs, b.untilMs),
          }))
          .filter(({ fromMs, untilMs }) => fromMs < untilMs),
      ),
    first,
  );
}

function lastEnd(spans: readonly Span[], atMs: number): number {
  const lastMs = spans.reduce((last, { untilMs }) => Math.max(last, untilMs), -Infinity);
  return lastMs > atMs ? Infinity : lastMs;
}
