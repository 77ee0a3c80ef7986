import { evalPartitionOf } from '../../../machines/partition-of.ts';
import type { Attempt, History } from '../clients/history.ts';
import { isStranded, kindOf, strandedMs } from '../faults/fault-plan.ts';
import type { Injected } from '../faults/injector.ts';

/** How long acknowledged writes did not come, after the faults of one kind. Milliseconds. */
export interface Unavailability {
  readonly kind: string;
  readonly faults: number;
  /** Of faults during which no other fault was at work. */
  readonly alone: number;
  readonly medianMs: number | null;
  readonly worstAloneMs: number | null;
  readonly worstMs: number | null;
  /** Null for faults that nobody promised anything of. */
  readonly targetMs: number | null;
}

const targetsMs: Readonly<Record<string, number>> = {
  'kill coordinator': 3_000,
  'kill edge': 3_000,
  'freeze coordinator': 9_000,
  'freeze edge': 9_000,
  darkness: 5_000,
};

interface Write {
  readonly part: number | undefined;
  readonly callMs: number;
  readonly returnMs: number;
  readonly isAcknowledged: boolean;
  /** The edge that it was sent to. */
  readonly edge: string | undefined;
}

/** Names of edges by their doors, such as `http://127.0.0.1:4000`. */
export type EdgeByDoor = ReadonlyMap<string, string>;

interface Sample {
  readonly ms: number;
  readonly isAlone: boolean;
}

/** What a fault still does when it is over: takeovers, reconnections, back-offs. */
const aftermathMs = 3_000;
/** Somebody must have asked this soon after the fault, and again after each refusal. */
const askedWithinMs = 1_000;
const writes: ReadonlySet<string> = new Set([
  'claim',
  'complete',
  'heartbeat',
  'results',
  'submit',
]);

/**
 * From a fault to the next acknowledged write: of each partition that a killed or frozen coordinator
 * owned, and anywhere for all other faults. A total outage counts from its end, since nobody can
 * write before. A partition that nobody asked while it was without an owner tells nothing, and nor does
 * who asked by an edge that was hurt itself.
 */
export function unavailability(
  history: History,
  injected: readonly Injected[],
  edgeByDoor: EdgeByDoor,
): readonly Unavailability[] {
  const all = writesOf(history, edgeByDoor);
  const happened = injected.filter(({ wasIdle }) => !wasIdle);
  const about: About = {
    others: happened,
    acknowledged: all
      .filter(({ isAcknowledged }) => isAcknowledged)
      .sort((a, b) => a.returnMs - b.returnMs),
    byPart: Map.groupBy(
      all.filter((write) => !isHindered(write, happened)),
      ({ part }) => part,
    ),
  };
  const byKind = Map.groupBy(happened, ({ fault }) => kindOf(fault));
  return [...byKind].map(([kind, faults]) => {
    const samples = faults.flatMap((fault) => samplesOf(fault, about));
    const alone = samples.filter(({ isAlone }) => isAlone);
    const sorted = (alone.length > 0 ? alone : samples).map(({ ms }) => ms).sort((a, b) => a - b);
    return {
      ...{ kind, faults: faults.length, alone: alone.length },
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? null,
      worstAloneMs: worstOf(alone),
      worstMs: worstOf(samples),
      targetMs: targetsMs[kind] ?? null,
    };
  });
}

function worstOf(samples: readonly Sample[]): number | null {
  return samples.reduce<number | null>((worst, { ms }) => Math.max(worst ?? 0, ms), null);
}

/** In the order of their calls. */
function writesOf({ attempts }: History, edgeByDoor: EdgeByDoor): readonly Write[] {
  const partOfRun = new Map<string, number>();
  for (const { told } of attempts) {
    const { evalRunId, agentVersionId } = told;
    if (evalRunId === undefined || agentVersionId === undefined) continue;
    partOfRun.set(evalRunId, evalPartitionOf(agentVersionId));
  }
  return attempts
    .filter(({ sent, status }) => writes.has(sent.kind) && isTelling(status))
    .map(({ sent, told, callMs, returnMs, outcome, door }: Attempt) => ({
      part: partOfRun.get(sent.evalRunId ?? told.evalRunId ?? ''),
      ...{ callMs, returnMs, isAcknowledged: outcome === 'acknowledged' },
      edge: edgeByDoor.get(door),
    }));
}

/** An owner that refuses is there, and what it would have taken is not known; nor of what there was none. */
function isTelling(status: number): boolean {
  return status !== 204 && (status < 400 || status >= 500);
}

/** Its edge, or one of that edge's lines, was hurt while it was under way. */
function isHindered({ edge, callMs, returnMs }: Write, faults: readonly Injected[]): boolean {
  return faults.some(
    (injected) =>
      'who' in injected.fault &&
      injected.fault.who === edge &&
      injected.startMs < returnMs &&
      overMs(injected) > callMs,
  );
}

function overMs({ fault, endMs }: Injected): number {
  return endMs + (isStranded(fault) ? strandedMs : aftermathMs);
}

interface About {
  readonly others: readonly Injected[];
  /** In the order of their answers. */
  readonly acknowledged: readonly Write[];
  /** Of those that no fault of their edge kept; in the order of their calls. */
  readonly byPart: ReadonlyMap<number | undefined, readonly Write[]>;
}

function samplesOf(fault: Injected, { others, acknowledged, byPart }: About): readonly Sample[] {
  const sample = (fromMs: number, write: Write | undefined): Sample[] => {
    if (write === undefined) return [];
    const isAlone = others.every(
      (other) =>
        other === fault ||
        !disturbs(other, fault) ||
        other.startMs > write.returnMs ||
        overMs(other) < fault.startMs,
    );
    return [{ ms: write.returnMs - fromMs, isAlone }];
  };
  if (fault.partitions.size > 0) {
    return [...fault.partitions].flatMap((part) =>
      sample(fault.startMs, firstTaken(byPart.get(part) ?? [], fault.startMs)),
    );
  }
  const fromMs = isTotal(fault) ? fault.endMs : fault.startMs;
  return sample(
    fromMs,
    acknowledged.find((write) => write.callMs >= fault.startMs && write.returnMs >= fromMs),
  );
}

/** Nothing where nobody was asking for a while before it: it could have been taken earlier. */
function firstTaken(asked: readonly Write[], fromMs: number): Write | undefined {
  let askedUntilMs = fromMs + askedWithinMs;
  let first: Write | undefined;
  for (const write of asked) {
    if (write.callMs < fromMs) continue;
    if (write.callMs > askedUntilMs || (first && write.callMs > first.returnMs)) break;
    askedUntilMs = Math.max(askedUntilMs, write.returnMs + askedWithinMs);
    const isSooner = write.returnMs < (first?.returnMs ?? Number.POSITIVE_INFINITY);
    if (write.isAcknowledged && isSooner) first = write;
  }
  return first;
}

/**
 * Whether two faults can have one effect: owners are one thing, doors and the store another. Edges
 * alone ask the chain.
 */
function disturbs({ fault: other }: Injected, { partitions }: Injected): boolean {
  if (other.kind === 'line' && other.line === 'store') return false;
  const isOfEdge =
    (other.kind === 'line' && other.line === 'chain') ||
    ('who' in other && other.who.startsWith('edge'));
  return !(isOfEdge && partitions.size > 0);
}

function isTotal({ fault }: Injected): boolean {
  return fault.kind === 'darkness' || fault.kind === 'postgres killed';
}
