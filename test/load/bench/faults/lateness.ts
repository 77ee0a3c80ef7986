/** A lease whose validator went silent. Unix milliseconds. */
export interface SilentLease {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  /** The last end that its validator was told. */
  readonly untilMs: number;
}

/** The next claim of that work, as who made it heard of it: after its commit. */
export interface NextClaim {
  readonly agentVersionId: string;
  readonly atMs: number;
}

export interface Lateness {
  /** Of each lease whose work was claimed again. Milliseconds. */
  readonly lateMs: readonly number[];
  /** Leases whose work nobody had again. */
  readonly unclaimed: number;
}

/** To the first claim of each; one that comes later may be of what that one lost in its turn. */
export function latenessOf(leases: readonly SilentLease[], claims: readonly NextClaim[]): Lateness {
  const firstMs = new Map<string, number>();
  for (const { agentVersionId, atMs } of claims) {
    firstMs.set(agentVersionId, Math.min(atMs, firstMs.get(agentVersionId) ?? atMs));
  }
  const lateMs = leases.flatMap(({ agentVersionId, untilMs }) => {
    const atMs = firstMs.get(agentVersionId);
    return atMs === undefined ? [] : [atMs - untilMs];
  });
  return { lateMs, unclaimed: leases.length - lateMs.length };
}

/** A run in the order of its work item's fences. Unix milliseconds; no end while it is live. */
export interface FencedRun {
  readonly evalRunId: string;
  readonly workItemId: string;
  readonly fence: number;
  readonly claimedMs: number;
  readonly endMs: number | null;
}

export interface FenceFaults {
  /** Ended before what its validator was promised. */
  readonly early: readonly string[];
  /** Two that held one place at the same time, or whose fences do not tell which came later. */
  readonly double: readonly string[];
}

/** What the stored history says, of work items with one place each. */
export function fenceFaults(
  runs: readonly FencedRun[],
  promisedMs: ReadonlyMap<string, number>,
): FenceFaults {
  const early: string[] = [];
  const double: string[] = [];
  for (const own of Map.groupBy(runs, ({ workItemId }) => workItemId).values()) {
    const inOrder = own.toSorted((a, b) => a.fence - b.fence);
    for (const [index, run] of inOrder.entries()) {
      const endMs = run.endMs ?? Number.POSITIVE_INFINITY;
      const untilMs = promisedMs.get(run.evalRunId) ?? Number.NEGATIVE_INFINITY;
      if (endMs < untilMs) early.push(`run ${run.evalRunId} ended ${untilMs - endMs} ms early`);
      const next = inOrder[index + 1];
      if (next === undefined) continue;
      const pair = `runs ${run.evalRunId} and ${next.evalRunId}`;
      if (next.fence === run.fence) double.push(`${pair} have one fence`);
      else if (next.claimedMs < endMs) double.push(`${pair} were held at the same time`);
    }
  }
  return { early, double };
}
