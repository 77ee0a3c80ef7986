import { evalPartitionOf } from '../../../machines/partition-of.ts';
import type { Attempt, History } from '../clients/history.ts';
import { kindOf } from '../faults/fault-plan.ts';
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
  readonly firstCallMs: number;
  readonly callMs: number;
  readonly returnMs: number;
}

interface Sample {
  readonly ms: number;
  readonly isAlone: boolean;
}

/** What a fault still does when it is over: takeovers, reconnections, back-offs. */
const aftermathMs = 3_000;
/** Somebody must have asked this soon after the fault, or nobody knows how long it lasted. */
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
 * write before. A partition that nobody asked while it was without an owner tells nothing.
 */
export function unavailability(
  history: History,
  injected: readonly Injected[],
): readonly Unavailability[] {
  const all = writesOf(history);
  const happened = injected.filter(({ wasIdle }) => !wasIdle);
  const byKind = Map.groupBy(happened, ({ fault }) => kindOf(fault));
  return [...byKind].map(([kind, faults]) => {
    const samples = faults.flatMap((fault) => samplesOf(fault, all, happened));
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

function writesOf({ attempts }: History): readonly Write[] {
  const partOfRun = new Map<string, number>();
  for (const { told } of attempts) {
    const { evalRunId, agentVersionId } = told;
    if (evalRunId === undefined || agentVersionId === undefined) continue;
    partOfRun.set(evalRunId, evalPartitionOf(agentVersionId));
  }
  return attempts
    .filter(({ sent, outcome, status }) => {
      return outcome === 'acknowledged' && status !== 204 && writes.has(sent.kind);
    })
    .map(({ sent, told, firstCallMs, callMs, returnMs }: Attempt) => {
      const part = partOfRun.get(sent.evalRunId ?? told.evalRunId ?? '');
      return { part, firstCallMs, callMs, returnMs };
    })
    .sort((a, b) => a.returnMs - b.returnMs);
}

function samplesOf(
  fault: Injected,
  all: readonly Write[],
  others: readonly Injected[],
): readonly Sample[] {
  const sample = (fromMs: number, write: Write | undefined): Sample[] => {
    if (write === undefined) return [];
    const isAlone = others.every(
      (other) =>
        other === fault ||
        !disturbs(other, fault) ||
        other.startMs > write.returnMs ||
        other.endMs + aftermathMs < fault.startMs,
    );
    return [{ ms: write.returnMs - fromMs, isAlone }];
  };
  if (fault.partitions.size > 0) {
    return [...fault.partitions].flatMap((part) => {
      const next = all.find((write) => write.part === part && write.callMs >= fault.startMs);
      const hasAsked = (next?.firstCallMs ?? Infinity) < fault.startMs + askedWithinMs;
      return hasAsked ? sample(fault.startMs, next) : [];
    });
  }
  const fromMs = isTotal(fault) ? fault.endMs : fault.startMs;
  return sample(
    fromMs,
    all.find((write) => write.callMs >= fault.startMs && write.returnMs >= fromMs),
  );
}

/** Whether two faults can have one effect: owners are one thing, doors and the store another. */
function disturbs({ fault: other }: Injected, { partitions }: Injected): boolean {
  if (other.kind === 'line' && other.line === 'store') return false;
  const isOfEdge = 'who' in other && other.who.startsWith('edge');
  return !(isOfEdge && partitions.size > 0);
}

function isTotal({ fault }: Injected): boolean {
  return fault.kind === 'darkness' || fault.kind === 'postgres killed';
}
