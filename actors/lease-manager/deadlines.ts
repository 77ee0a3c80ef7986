import {
  type Deadlines,
  type Inherited,
  promisedUntil,
  reasonOfEnd,
  takenOver,
} from '../../machines/evaluation-run/decide.ts';
import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { EvalPolicy } from '../../machines/types.ts';

interface Beat extends Deadlines {
  readonly beatAtMs: number;
}

interface Kept extends Deadlines {
  /** The last sign of life. */
  readonly signAtMs: number;
  /** What they would be without any window: what a sign promised and what the run may take. */
  readonly plain: Deadlines;
}

/**
 * By how many windows a deadline may come later, however many outages there are. A validator that was
 * not heard in three of them is silent; one that beats is stopped by its limits, which are hard.
 */
const windowsMax = { leaseUntilMs: 3, noProgressUntilMs: 1, runLimitUntilMs: 1 } as const;

/** One heartbeat may have met the outage itself, so the second one counts as well. */
export function windowAfterOutageMs({ leaseMs, heartbeatMs }: EvalPolicy): number {
  return Math.max(leaseMs, 2 * heartbeatMs);
}

/**
 * When live runs end. Promises are made here, in memory, and only ever grow; what is written lags
 * behind by a flush, which the amnesty after a takeover makes good. Amnesties are written as well, so
 * that whoever looks for runs that nobody ends finds none that was given time, and the next owner knows by
 * how much the limits have moved.
 *
 * The time of an outage never counts. The window after it is bounded: an edge that dies every minute
 * must not keep the work of silent validators from others for ever. What a takeover gives is not, since
 * nobody knows what the former owner promised last.
 *
 * Not under the batch's overlay: a deadline that moved although the batch rolled back favours the
 * validator, and a heartbeat that is answered while a commit runs must not be undone by it.
 */
export class RunDeadlines {
  readonly #byRun = new Map<string, Kept>();
  /** Runs of which something ends later than was written. */
  readonly #dirty = new Set<string>();
  readonly #policy: EvalPolicy;
  /** Nobody's end comes before this. It may lag behind the truth, and is found anew once it is reached. */
  #noneBeforeMs = Number.POSITIVE_INFINITY;

  constructor(policy: EvalPolicy) {
    this.#policy = policy;
  }

  get(evalRunId: string): Deadlines | undefined {
    return this.#byRun.get(evalRunId);
  }

  /** Learns a run from its durable state; nothing ends before `notBeforeMs`. */
  track(run: RunState, notBeforeMs = 0): void {
    const written = this.#written(run);
    const until = later(written, notBeforeMs);
    // Who is known anew may have given a sign that was not written.
    const plain = { ...written.plain, leaseUntilMs: until.leaseUntilMs };
    this.#lengthen(run.context.evalRunId, written, { ...until, plain });
  }

  /** Learns what the former owner had written down of a run, and when it had none. */
  inherit(
    { context: { evalRunId, claimedAt, progressAt } }: RunState,
    left: Pick<Inherited, 'gaps' | 'lastGapMs' | 'written'>,
  ): void {
    const known = this.#byRun.get(evalRunId);
    if (known === undefined) return;
    const at = { claimedAtMs: claimedAt, progressAtMs: progressAt };
    const plain = takenOver({ ...left, ...at, claimed: known.plain });
    const until = each((key) => Math.max(known[key], plain[key]));
    this.#lengthen(evalRunId, known, { ...known, ...until, plain });
  }

  forget(evalRunId: string): void {
    this.#byRun.delete(evalRunId);
    this.#dirty.delete(evalRunId);
  }

  isOver(evalRunId: string, nowMs: number): boolean {
    return this.reasonOfEnd(evalRunId, nowMs) !== undefined;
  }

  /** Cheap enough to be asked many times a second: ends only move away, so all are seldom looked at. */
  isAnyOver(nowMs: number): boolean {
    if (nowMs < this.#noneBeforeMs) return false;
    this.#noneBeforeMs = this.earliestEndMs() ?? Number.POSITIVE_INFINITY;
    return nowMs >= this.#noneBeforeMs;
  }

  /** When the first of the runs is over. */
  earliestEndMs(): number | undefined {
    let earliestMs: number | undefined;
    for (const deadlines of this.#byRun.values()) {
      const endMs = endOf(deadlines);
      earliestMs = Math.min(endMs, earliestMs ?? endMs);
    }
    return earliestMs;
  }

  reasonOfEnd(evalRunId: string, nowMs: number) {
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
      const plainMs = Math.max(deadlines.plain.leaseUntilMs, nowMs + this.#policy.leaseMs);
      const plain = { ...deadlines.plain, leaseUntilMs: plainMs };
      this.#keep(evalRunId, { ...deadlines, leaseUntilMs, plain, signAtMs: nowMs });
    }
    this.#dirty.add(evalRunId);
    return leaseUntilMs;
  }

  /** Takes over what a run's committed state says, where it is later. */
  merge(run: RunState): void {
    const { evalRunId } = run.context;
    const written = this.#written(run);
    const known = this.#byRun.get(evalRunId) ?? written;
    this.#keep(evalRunId, {
      ...each((key) => Math.max(written[key], known[key])),
      plain: each((key) => Math.max(written.plain[key], known.plain[key])),
      signAtMs: Math.max(written.signAtMs, known.signAtMs),
    });
  }

  /** What validators say comes later than before: everything ends as much later. */
  delayAll(byMs: number): void {
    for (const [evalRunId, deadlines] of this.#byRun) {
      this.#lengthen(evalRunId, deadlines, movedBy(deadlines, byMs));
    }
  }

  /** After an outage of ours that was over at `overAtMs`: its time does not count, and a window follows. */
  forgiveAll(outageMs: number, overAtMs: number): void {
    const windowMs = windowAfterOutageMs(this.#policy);
    for (const [evalRunId, deadlines] of this.#byRun) {
      const moved = movedBy(deadlines, outageMs);
      const latestMs = (key: keyof Deadlines) => moved.plain[key] + windowsMax[key] * windowMs;
      const until = each((key) =>
        Math.max(moved[key], Math.min(overAtMs + windowMs, latestMs(key))),
      );
      this.#lengthen(evalRunId, deadlines, { ...moved, ...until });
    }
  }

  postpone(evalRunId: string, untilMs: number): void {
    const deadlines = this.#byRun.get(evalRunId);
    if (deadlines !== undefined) this.#lengthen(evalRunId, deadlines, later(deadlines, untilMs));
  }

  /** Of those that `isWritten` picks; the others are kept for the next time. */
  takeBeats(isWritten: (evalRunId: string) => boolean): ReadonlyMap<string, Beat> {
    const beats = new Map<string, Beat>();
    for (const evalRunId of [...this.#dirty].filter(isWritten)) {
      this.#dirty.delete(evalRunId);
      const kept = this.#byRun.get(evalRunId);
      if (kept === undefined) continue;
      beats.set(evalRunId, { ...each((key) => kept[key]), beatAtMs: kept.signAtMs });
    }
    return beats;
  }

  /** What was taken was not written: it is taken once more, with what came meanwhile. */
  keepUnwritten(evalRunId: string): void {
    if (this.#byRun.has(evalRunId)) this.#dirty.add(evalRunId);
  }

  #lengthen(evalRunId: string, before: Kept, after: Kept): void {
    this.#keep(evalRunId, after);
    if (isLater(after, before)) this.#dirty.add(evalRunId);
  }

  #keep(evalRunId: string, deadlines: Kept): void {
    this.#byRun.set(evalRunId, deadlines);
    this.#noneBeforeMs = Math.min(this.#noneBeforeMs, endOf(deadlines));
  }

  #written({ context }: RunState): Kept {
    const plain = {
      leaseUntilMs: context.leaseUntil,
      noProgressUntilMs: context.progressAt + this.#policy.noProgressMs,
      runLimitUntilMs: context.claimedAt + this.#policy.runLimitMs,
    };
    return { ...plain, plain, signAtMs: context.progressAt };
  }
}

function endOf({ leaseUntilMs, noProgressUntilMs, runLimitUntilMs }: Deadlines): number {
  return Math.min(leaseUntilMs, noProgressUntilMs, runLimitUntilMs);
}

function isLater(after: Deadlines, before: Deadlines): boolean {
  return Object.values(each((key) => after[key] - before[key])).some((byMs) => byMs > 0);
}

function each(value: (key: keyof Deadlines) => number): Deadlines {
  return {
    leaseUntilMs: value('leaseUntilMs'),
    noProgressUntilMs: value('noProgressUntilMs'),
    runLimitUntilMs: value('runLimitUntilMs'),
  };
}

function later(deadlines: Kept, notBeforeMs: number): Kept {
  return { ...deadlines, ...each((key) => Math.max(deadlines[key], notBeforeMs)) };
}

function movedBy(deadlines: Kept, byMs: number): Kept {
  return {
    ...deadlines,
    ...each((key) => deadlines[key] + byMs),
    plain: each((key) => deadlines.plain[key] + byMs),
  };
}
