import type { EvalPolicy } from '../../machines/types.ts';
import type { PartitionState } from './partition-state.ts';

/** Below this many live leases a share says nothing. */
const brakeLeasesMin = 20;
const secondMs = 1000;

/**
 * Finds runs whose time is over. When more leases end within a second than validators could lose by
 * themselves, the cause is ours: the brake gives all of them one more lease, once; those that are
 * silent after it as well are let go.
 */
export class Expiry {
  readonly #state: PartitionState;
  readonly #policy: EvalPolicy;
  #brakedUntilMs = Number.NEGATIVE_INFINITY;
  #brakeCount = 0;

  constructor(state: PartitionState, policy: EvalPolicy) {
    this.#state = state;
    this.#policy = policy;
  }

  /** Ids of runs that are over. */
  due(nowMs: number): string[] {
    const live = [...this.#state.liveRuns.committedEntries()].map(([evalRunId]) => evalRunId);
    const over = live.filter((evalRunId) => this.#state.deadlines.isOver(evalRunId, nowMs));
    if (over.length === 0) return [];
    if (this.#shouldBrake(live, nowMs)) {
      this.#brake(live, nowMs);
      return [];
    }
    return over;
  }

  isBraking(nowMs: number): boolean {
    return nowMs < this.#brakedUntilMs;
  }

  get brakeCount(): number {
    return this.#brakeCount;
  }

  #shouldBrake(live: readonly string[], nowMs: number): boolean {
    // The pause and one more lease: what ends then was silent twice.
    const isSecondTime = nowMs < this.#brakedUntilMs + this.#policy.leaseMs;
    if (live.length < brakeLeasesMin || isSecondTime) return false;
    const soon = live.filter((id) => this.#state.deadlines.isOver(id, nowMs + secondMs));
    return soon.length * 1_000_000 > live.length * this.#policy.expiryBrakeShareMicro;
  }

  #brake(live: readonly string[], nowMs: number): void {
    this.#brakedUntilMs = nowMs + this.#policy.leaseMs;
    this.#brakeCount += 1;
    for (const evalRunId of live) this.#state.deadlines.postpone(evalRunId, this.#brakedUntilMs);
  }
}
