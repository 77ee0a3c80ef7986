import {
  type Deadlines,
  promisedUntil,
  reasonOfEnd,
} from '../../machines/evaluation-run/decide.ts';
import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { EvalPolicy } from '../../machines/types.ts';

interface Beat {
  readonly beatAtMs: number;
  readonly leaseUntilMs: number;
}

interface Kept extends Deadlines {
  /** The last sign of life. */
  readonly signAtMs: number;
}

/**
 * When live runs end. Promises are made here, in memory, and only ever grow; what is written lags
 * behind by a flush, which the amnesty after a takeover makes good. Amnesties are written as well, so
 * that whoever looks for runs that nobody ends finds none that was given time.
 *
 * Not under the batch's overlay: a deadline that moved although the batch rolled back favours the
 * validator, and a heartbeat that is answered while a commit runs must not be undone by it.
 */
export class RunDeadlines {
  readonly #byRun = new Map<string, Kept>();
  /** Runs whose lease ends later than was written. */
  readonly #dirty = new Set<string>();
  readonly #policy: EvalPolicy;

  constructor(policy: EvalPolicy) {
    this.#policy = policy;
  }

  get(evalRunId: string): Deadlines | undefined {
    return this.#byRun.get(evalRunId);
  }

  /** Learns a run from its durable state; nothing ends before `notBeforeMs`. */
  track(run: RunState, notBeforeMs = 0): void {
    const written = this.#written(run);
    this.#lengthen(run.context.evalRunId, written, later(written, notBeforeMs));
  }

  forget(evalRunId: string): void {
    this.#byRun.delete(evalRunId);
    this.#dirty.delete(evalRunId);
  }

  isOver(evalRunId: string, nowMs: number): boolean {
    return this.reasonOfEnd(evalRunId, nowMs) !== undefined;
  }

  /** When the first of the runs is over. */
  earliestEndMs(): number | undefined {
    let earliestMs: number | undefined;
    for (const { leaseUntilMs, noProgressUntilMs, runLimitUntilMs } of this.#byRun.values()) {
      const endMs = Math.min(leaseUntilMs, noProgressUntilMs, runLimitUntilMs);
      earliestMs = Math.min(endMs, earliestMs ?? endMs);
    }
    return earliestMs;
  }

  reasonOfEnd(evalRunId: string, nowMs: number): string | undefined {
    const deadlines = this.#byRun.get(evalRunId);
    return deadlines === undefined ? undefined : reasonOfEnd(deadlines, nowMs);
  }

  /** What a sign of life at `nowMs` would promise; progress moves the limit on silence as well. */
  promise(evalRunId: string, nowMs: number, sign: 'beat' | 'progress'): number {
    const known = this.#byRun.get(evalRunId);
    if (known === undefined) throw new Error(`run ${evalRunId} has no deadlines`);
    const progressMs = sign === 'progress' ? nowMs + this.#policy.noProgressMs : 0;
    const noProgressUntilMs = Math.max(known.noProgressUntilMs, progressMs);
    return promisedUntil({ ...known, noProgressUntilMs }, nowMs + this.#policy.leaseMs);
  }

  /** The end of a run that is claimed at `nowMs`. */
  promiseOfClaim(nowMs: number): number {
    const { claimLeaseMs, noProgressMs, runLimitMs } = this.#policy;
    return nowMs + Math.min(claimLeaseMs, noProgressMs, runLimitMs);
  }

  /** Every owner gives a lease at least this after a sign of life at `nowMs`, written or not. */
  freshUntil(nowMs: number): number {
    return nowMs + this.#policy.leaseMs;
  }

  /** Keeps a promise that is given without a commit. */
  beat(evalRunId: string, nowMs: number): number {
    const leaseUntilMs = this.promise(evalRunId, nowMs, 'beat');
    const deadlines = this.#byRun.get(evalRunId);
    if (deadlines !== undefined) {
      this.#byRun.set(evalRunId, { ...deadlines, leaseUntilMs, signAtMs: nowMs });
    }
    this.#dirty.add(evalRunId);
    return leaseUntilMs;
  }

  /** Takes over what a run's committed state says, where it is later. */
  merge(run: RunState): void {
    const { evalRunId } = run.context;
    const known = this.#byRun.get(evalRunId);
    const written = this.#written(run);
    this.#byRun.set(evalRunId, {
      leaseUntilMs: Math.max(written.leaseUntilMs, known?.leaseUntilMs ?? 0),
      noProgressUntilMs: Math.max(written.noProgressUntilMs, known?.noProgressUntilMs ?? 0),
      runLimitUntilMs: Math.max(written.runLimitUntilMs, known?.runLimitUntilMs ?? 0),
      signAtMs: Math.max(written.signAtMs, known?.signAtMs ?? 0),
    });
  }

  /** After an outage of ours: its time does not count, and nothing ends before `notBeforeMs`. */
  extendAll(byMs: number, notBeforeMs: number): void {
    for (const [evalRunId, deadlines] of this.#byRun) {
      const extended = {
        ...deadlines,
        leaseUntilMs: deadlines.leaseUntilMs + byMs,
        noProgressUntilMs: deadlines.noProgressUntilMs + byMs,
        runLimitUntilMs: deadlines.runLimitUntilMs + byMs,
      };
      this.#lengthen(evalRunId, deadlines, later(extended, notBeforeMs));
    }
  }

  postpone(evalRunId: string, untilMs: number): void {
    const deadlines = this.#byRun.get(evalRunId);
    if (deadlines !== undefined) this.#lengthen(evalRunId, deadlines, later(deadlines, untilMs));
  }

  takeBeats(): ReadonlyMap<string, Beat> {
    const beats = new Map<string, Beat>();
    for (const evalRunId of this.#dirty) {
      const kept = this.#byRun.get(evalRunId);
      if (kept === undefined) continue;
      beats.set(evalRunId, { beatAtMs: kept.signAtMs, leaseUntilMs: kept.leaseUntilMs });
    }
    this.#dirty.clear();
    return beats;
  }

  #lengthen(evalRunId: string, before: Kept, after: Kept): void {
    this.#byRun.set(evalRunId, after);
    if (after.leaseUntilMs > before.leaseUntilMs) this.#dirty.add(evalRunId);
  }

  #written({ context }: RunState): Kept {
    return {
      signAtMs: context.progressAt,
      leaseUntilMs: context.leaseUntil,
      noProgressUntilMs: context.progressAt + this.#policy.noProgressMs,
      runLimitUntilMs: context.claimedAt + this.#policy.runLimitMs,
    };
  }
}

function later(deadlines: Kept, notBeforeMs: number): Kept {
  return {
    signAtMs: deadlines.signAtMs,
    leaseUntilMs: Math.max(deadlines.leaseUntilMs, notBeforeMs),
    noProgressUntilMs: Math.max(deadlines.noProgressUntilMs, notBeforeMs),
    runLimitUntilMs: Math.max(deadlines.runLimitUntilMs, notBeforeMs),
  };
}
