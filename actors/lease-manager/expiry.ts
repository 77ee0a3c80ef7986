import type { ExpiryBrake } from './expiry-brake.ts';
import type { PartitionState } from './partition-state.ts';

/** Finds runs of one partition whose time is over, unless too many are at once. */
export class Expiry {
  readonly #state: PartitionState;
  readonly #brake: ExpiryBrake;

  constructor(state: PartitionState, brake: ExpiryBrake) {
    this.#state = state;
    this.#brake = brake;
  }

  /** Ids of runs that are over. */
  due(nowMs: number): string[] {
    this.#brake.looked(this.#state, nowMs);
    if (!this.#state.deadlines.isAnyOver(nowMs)) return [];
    const live = [...this.#state.liveRuns.committedEntries()].map(([evalRunId]) => evalRunId);
    const over = live.filter((evalRunId) => this.#state.deadlines.isOver(evalRunId, nowMs));
    return over.length === 0 || this.#brake.holds(nowMs) ? [] : over;
  }

  isBraking(nowMs: number): boolean {
    return this.#brake.isOn(nowMs);
  }

  get brakeCount(): number {
    return this.#brake.count;
  }
}
