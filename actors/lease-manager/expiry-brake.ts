import type { EvalPolicy } from '../../machines/types.ts';
import type { PartitionState } from './partition-state.ts';

/** Below this many live leases a share says nothing. */
const leasesMin = 20;
/** Served partitions look for what is due all the time; one that does not is served no more. */
const servedMs = 2000;

/**
 * When more leases end within a heartbeat than validators could lose by themselves, the cause is ours:
 * the brake gives all of them one more lease, once; those that are silent after it as well are let go.
 * Validators beat at different times, so if all are cut off, all leases end within one heartbeat; one
 * that is kept has more than that left at any time, unless leases are shorter than two heartbeats.
 *
 * It looks at all partitions of a process together: one alone seldom has enough leases to tell.
 */
export class ExpiryBrake {
  readonly #policy: EvalPolicy;
  readonly #soonMs: number;
  /** When each partition looked last. One that was loaded afresh is another one. */
  readonly #lookedMs = new Map<PartitionState, number>();
  #brakedUntilMs = Number.NEGATIVE_INFINITY;
  #clearedMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(policy: EvalPolicy) {
    this.#policy = policy;
    const { heartbeatMs, leaseMs } = policy;
    this.#soonMs = Math.min(heartbeatMs, (leaseMs - heartbeatMs) / 2);
  }

  get count(): number {
    return this.#count;
  }

  isOn(nowMs: number): boolean {
    return nowMs < this.#brakedUntilMs;
  }

  /** A partition looks for what is due: as long as it does, its leases count. */
  looked(state: PartitionState, nowMs: number): void {
    this.#lookedMs.set(state, nowMs);
    // Where all are punctual no lease ever ends, and nothing else forgets what is served no more.
    if (nowMs - this.#clearedMs < servedMs) return;
    this.#clearedMs = nowMs;
    this.#forgetUnserved(nowMs);
  }

  /** Some lease is over. True when none may end now, for all were lengthened. */
  holds(nowMs: number): boolean {
    const states = this.#servedNow(nowMs);
    if (!this.#shouldBrake(states, nowMs)) return false;
    this.#brakedUntilMs = nowMs + this.#policy.leaseMs;
    this.#count += 1;
    for (const { deadlines, liveRuns } of states) {
      for (const [evalRunId] of liveRuns.committedEntries()) {
        deadlines.postpone(evalRunId, this.#brakedUntilMs);
      }
    }
    return true;
  }

  #servedNow(nowMs: number): readonly PartitionState[] {
    this.#forgetUnserved(nowMs);
    return [...this.#lookedMs.keys()];
  }

  #forgetUnserved(nowMs: number): void {
    for (const [state, lookedMs] of this.#lookedMs) {
      if (nowMs - lookedMs > servedMs) this.#lookedMs.delete(state);
    }
  }

  #shouldBrake(states: readonly PartitionState[], nowMs: number): boolean {
    // The pause and one more lease: what ends then was silent twice.
    if (nowMs < this.#brakedUntilMs + this.#policy.leaseMs) return false;
    const live = states.reduce((sum, { liveRuns }) => sum + liveRuns.committedSize, 0);
    if (live < leasesMin) return false;
    const soon = states.reduce((sum, state) => sum + endingBy(state, nowMs + this.#soonMs), 0);
    return soon * 1_000_000 > live * this.#policy.expiryBrakeShareMicro;
  }
}

function endingBy({ deadlines, liveRuns }: PartitionState, byMs: number): number {
  let count = 0;
  for (const [evalRunId] of liveRuns.committedEntries()) {
    if (deadlines.isOver(evalRunId, byMs)) count += 1;
  }
  return count;
}
