interface Minimum {
  readonly name: string;
  /** Of a thousand race days with faults. */
  readonly perThousandDays: number;
}

/**
 * A run in which the dangerous situations did not happen proves nothing. Far below what ordinary runs
 * count, so that only a simulator that lost its teeth falls short.
 */
const minimums: readonly Minimum[] = [
  { name: 'writes by an expired holder', perThousandDays: 500 },
  { name: 'commits refused by the fence', perThousandDays: 30 },
  { name: 'commits refused by the lease', perThousandDays: 2 },
  { name: 'metric paddock.inbox.duplicates', perThousandDays: 500 },
  { name: 'runs read after a write', perThousandDays: 2_000 },
  { name: 'messages replayed', perThousandDays: 500 },
  { name: 'claims whose answer was lost', perThousandDays: 300 },
  { name: 'leases that ended in the dark', perThousandDays: 2 },
  { name: 'ambiguous commits', perThousandDays: 100 },
  { name: 'work reclaimed', perThousandDays: 100 },
  { name: 'runs ended by RUN_LIMIT', perThousandDays: 20 },
  { name: 'runs ended by NO_PROGRESS', perThousandDays: 10 },
  { name: 'runs completed beyond NO_PROGRESS', perThousandDays: 50 },
  { name: 'claims beside own work', perThousandDays: 1_000 },
  { name: 'batches in several messages', perThousandDays: 100 },
  { name: 'races ended: RACE_COMPLETE', perThousandDays: 400 },
];

/** With fewer days chance alone could keep a situation away: nothing is asked of such a run. */
export const judgedDaysMin = 200;

export interface Reached {
  readonly name: string;
  readonly count: number;
  readonly minimum: number;
}

/** How often each dangerous situation happened, and had to; zero in runs too short to judge. */
export function reachability(
  counts: ReadonlyMap<string, number>,
  days: number,
): readonly Reached[] {
  return minimums.map(({ name, perThousandDays }) => ({
    name,
    count: counts.get(name) ?? 0,
    minimum: days < judgedDaysMin ? 0 : Math.floor((days * perThousandDays) / 1000),
  }));
}

export function isVoid(reached: readonly Reached[]): boolean {
  return reached.some(({ count, minimum }) => count < minimum);
}
