import type { VersionFact } from '../../machines/agent-version/facts.ts';

/** What a race's close or end may depend on: these facts count wholly before it or wholly after. */
const weighty: ReadonlySet<VersionFact['type']> = new Set<VersionFact['type']>([
  'RECEIVED',
  'SCORED',
  'BECAME_ELIGIBLE',
  'DISCARDED',
  'VERSION_CANCELLED',
  'REINSTATED',
]);

export interface GateRow {
  readonly suite_id: number | null;
  readonly race_id: string | null;
  readonly needs_running: boolean;
}

/**
 * The races that one command's commit has to hold still while it writes: the apply function locks
 * them before anything else. Qualifying work that changes no score holds none.
 */
export class RaceGate {
  readonly #suiteIds = new Set<number>();
  readonly #races = new Map<string, boolean>();

  hold(raceId: string | null): void {
    if (raceId !== null && !this.#races.has(raceId)) this.#races.set(raceId, false);
  }

  /** The command is decided afresh should the race have ended by the time of the commit. */
  holdRunning(raceId: string | null): void {
    if (raceId !== null) this.#races.set(raceId, true);
  }

  holdForVersion(suiteId: number, facts: readonly VersionFact[]): void {
    if (facts.some(({ type }) => weighty.has(type))) this.#suiteIds.add(suiteId);
  }

  rows(): GateRow[] {
    return [
      ...[...this.#suiteIds].map((suite_id) => ({ suite_id, race_id: null, needs_running: false })),
      ...[...this.#races].map(([race_id, needs_running]) => ({
        suite_id: null,
        race_id,
        needs_running,
      })),
    ];
  }
}
