import type { KnownRun } from '../oracle/commit-model.ts';
import type { Counters } from './counters.ts';

interface Told {
  readonly versionId: string;
  readonly askedAtMs: number;
  /** When its next run was likely to be claimed, as the service said. */
  readonly expectedMs: number;
}

/** Upper bounds of how far apart what was told and what came were, in seconds. */
const boundsSeconds = [5, 15, 30, 60];

/** What miners are told of when their work starts, and when it did. */
export class Calibration {
  readonly #told: Told[] = [];
  readonly #counters: Counters;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  tell(told: Told): void {
    this.#told.push(told);
  }

  /** Counts those that were told since the last time, by how wrong they were. */
  settle(runs: readonly KnownRun[]): void {
    for (const { versionId, askedAtMs, expectedMs } of this.#told.splice(0)) {
      const claims = runs
        .filter((run) => run.agentVersionId === versionId && run.claimedAtMs >= askedAtMs)
        .map(({ claimedAtMs }) => claimedAtMs);
      this.#counters.add(`expected start ${wrongBy(Math.min(...claims) - expectedMs)}`);
    }
  }
}

function wrongBy(ms: number): string {
  if (!Number.isFinite(ms)) return 'told, and no run came';
  const bound = boundsSeconds.find((seconds) => Math.abs(ms) <= seconds * 1000);
  const side = ms < 0 ? 'early' : 'late';
  if (bound === undefined) return `wrong by more than ${boundsSeconds.at(-1)} s (${side})`;
  return `right within ${String(bound).padStart(2)} s`;
}
