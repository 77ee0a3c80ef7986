import { createHash } from 'node:crypto';
import { windowMs } from '../faults/weather.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Counters } from '../report/counters.ts';
import type { CommitModel, KnownRun } from './commit-model.ts';
import { PinHistory } from './pin-history.ts';
import { ReadHistory } from './read-history.ts';
import type { Violations } from './violations.ts';

interface AcknowledgedRun {
  readonly validatorHotkey: string;
  readonly agentVersionId: string;
}

interface AcknowledgedEnd {
  readonly status: string;
  readonly text: string;
}

export interface CompletionAnswer {
  readonly status: string;
  readonly agent_version_became_eligible: boolean;
  readonly final_score: number | null;
}

interface PastWeather {
  readonly unhurtSinceMs: number;
  disturbedMs(fromMs: number, toMs: number): number;
}

/** What a run may not be without for too long. */
const progress = new Set(['a result', 'progress']);
/** From the end of a lease to the commit that says so. */
const lateMs = 2_500;
/** What the last outage, or a new owner, gives at most: a window and a member's lease, by settings.ts. */
export const amnestyMs = windowMs + 5_000;

/**
 * What clients were told, from their side of the wire. What contradicts an earlier answer or what was
 * committed is seen at once; whether all of it is still there is asked at quiet times.
 */
export class ClientHistory {
  readonly claims = new Map<string, AcknowledgedRun>();
  /** The latest end of the lease that was promised, by run; the domain's clock. */
  readonly promisedMs = new Map<string, number>();
  /** When that was told. */
  readonly #toldMs = new Map<string, number>();
  /** Ids of stored results, by `run task`. */
  readonly results = new Map<string, string>();
  readonly ends = new Map<string, AcknowledgedEnd>();
  /** Miner by version. */
  readonly submissions = new Map<string, string>();
  readonly pins: PinHistory;
  readonly reads: ReadHistory;
  readonly #keptMs = new Map<string, number>();
  /** What results and progress did for a lease, which their answers do not tell. */
  readonly #signedMs = new Map<string, number>();
  readonly #eligible = new Set<string>();
  readonly #standings = new Map<number, string>();
  readonly #epochs = new Map<string, number>();
  readonly #deps: {
    readonly kernel: Kernel;
    readonly model: () => CommitModel;
    readonly violations: Violations;
    readonly counters: Counters;
    /** Leases may be longer than validators were told: something of ours went wrong before. */
    readonly isLeaseMoved: () => boolean;
    /** A live run has been heard of, at that time of the domain's clock. */
    readonly onAlive: (run: KnownRun, atMs: number) => void;
    /** Progress that was sent then is known to be kept, whatever the events say of it. */
    readonly onProgress: (run: KnownRun, sentAtMs: number) => void;
  };

  constructor(deps: {
    readonly kernel: Kernel;
    readonly model: () => CommitModel;
    readonly violations: Violations;
    readonly counters: Counters;
    /** Leases may be longer than validators were told: something of ours went wrong before. */
    readonly isLeaseMoved: () => boolean;
    /** A live run has been heard of, at that time of the domain's clock. */
    readonly onAlive: (run: KnownRun, atMs: number) => void;
    /** Progress that was sent then is known to be kept, whatever the events say of it. */
    readonly onProgress: (run: KnownRun, sentAtMs: number) => void;
  }) {
    this.#deps = deps;
    this.pins = new PinHistory(deps.violations);
    this.reads = new ReadHistory(deps.kernel, deps.violations);
  }

  claimed(
    validatorHotkey: string,
    run: { id: string; versionId: string; leaseUntilMs: number },
  ): void {
    const known = this.claims.get(run.id);
    const { validatorHotkey: owner } = this.#deps.model().runs.get(run.id) ?? {};
    if (owner === undefined) this.#wrong('INV-09', `claimed run ${run.id} was never committed`);
    else if (
      owner !== validatorHotkey ||
      (known ?? { validatorHotkey }).validatorHotkey !== owner
    ) {
      this.#wrong('INV-09', `run ${run.id} of ${owner} was given to ${validatorHotkey}`);
    }
    this.reads.claimed(run.id);
    this.claims.set(run.id, { validatorHotkey, agentVersionId: run.versionId });
    this.#promised(run.id, run.leaseUntilMs);
  }

  /** A 2xx of a request that only the holder of a live run may be given. */
  acknowledged(what: string, runId: string, by: { hotkey: string; sentAtMs: number }): void {
    const run = this.#deps.model().runs.get(runId);
    if (run === undefined) {
      this.#wrong('INV-20', `${what} of run ${runId}, which nobody has`);
      return;
    }
    if (run.validatorHotkey !== by.hotkey) {
      this.#wrong('INV-03', `${what} of run ${runId} was taken from ${by.hotkey}`);
    }
    if (run.end !== undefined && run.end.atMs < by.sentAtMs) {
      this.#wrong('INV-03', `${what} of run ${runId} was taken after ${run.end.type}`);
    }
    if (progress.has(what)) this.#deps.onProgress(run, by.sentAtMs);
  }

  /** A heartbeat was taken that was sent at `sentAtMs`. */
  beaten(runId: string, sentAtMs: number, leaseUntilMs: number): void {
    const lateByMs = Math.round(sentAtMs - this.#knownEndMs(runId));
    if (lateByMs > 0 && !this.#deps.isLeaseMoved()) {
      this.#wrong('INV-03', `a heartbeat of run ${runId} was taken ${lateByMs} ms after its lease`);
    }
    this.#promised(runId, leaseUntilMs);
    const run = this.#deps.model().runs.get(runId);
    if (run !== undefined && run.end === undefined) this.#deps.onAlive(run, sentAtMs);
  }

  stored(runId: string, taskId: string, resultId: string): void {
    const key = `${runId} ${taskId}`;
    if (this.results.has(key)) this.#wrong('INV-18', `result ${key} was stored twice`);
    else this.reads.stored(runId);
    this.results.set(key, resultId);
  }

  completed(runId: string, answer: CompletionAnswer, text: string): void {
    const { model } = this.#deps;
    const before = this.ends.get(runId);
    if (before !== undefined && before.text !== text) {
      this.#wrong('INV-04', `run ${runId} was answered ${before.text} and ${text}`);
    }
    const end = model().runs.get(runId)?.end;
    if (end === undefined)
      this.#wrong('INV-04', `run ${runId} was answered before its end was kept`);
    else if (endNames[answer.status] !== end.type) {
      this.#wrong('INV-04', `run ${runId} was answered ${answer.status} and is ${end.type}`);
    }
    this.ends.set(runId, { status: answer.status, text });
    this.reads.ended(runId, answer.status);
    if (!answer.agent_version_became_eligible || before !== undefined) return;
    const versionId = this.claims.get(runId)?.agentVersionId ?? '';
    if (this.#eligible.has(versionId)) this.#wrong('INV-13', `${versionId} became eligible twice`);
    this.#eligible.add(versionId);
  }

  submitted(versionId: string, hotkey: string): void {
    this.submissions.set(versionId, hotkey);
    this.reads.submitted(versionId);
  }

  /** The same bytes for everybody in an epoch, and no epoch goes back. */
  weights(client: string, epoch: number, text: string): void {
    const before = this.#epochs.get(client) ?? 0;
    if (epoch < before) this.#wrong('INV-35', `${client} saw epoch ${before}, then ${epoch}`);
    this.#epochs.set(client, Math.max(epoch, before));
    const digest = createHash('sha256').update(text).digest('hex');
    const known = this.#standings.get(epoch) ?? digest;
    if (known !== digest) this.#wrong('INV-34', `epoch ${epoch} was told in two ways`);
    this.#standings.set(epoch, known);
  }

  /** The end of a run's lease as it is written; it never goes back. */
  kept(runId: string, untilMs: number): void {
    const before = this.#keptMs.get(runId) ?? 0;
    if (untilMs < before) {
      this.#wrong('INV-08', `the lease of run ${runId} was moved back by ${before - untilMs} ms`);
    }
    this.#keptMs.set(runId, Math.max(untilMs, before));
  }

  /** Something of a run was committed that only a holder in time may tell, and it has a new lease. */
  signed(runId: string, atMs: number, leaseUntilMs: number): void {
    const untilMs = this.#knownEndMs(runId);
    if (atMs > untilMs && !this.#deps.isLeaseMoved()) {
      const byMs = Math.round(atMs - untilMs);
      this.#wrong('INV-03', `run ${runId} was written to ${byMs} ms after its lease`);
    }
    this.#signedMs.set(runId, Math.max(this.#signedMs.get(runId) ?? 0, leaseUntilMs));
  }

  /** Of a lease that no outage has lengthened; never, where nobody was told of the claim yet. */
  #knownEndMs(runId: string): number {
    const promisedMs = this.promisedMs.get(runId);
    if (promisedMs === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(promisedMs, this.#signedMs.get(runId) ?? 0);
  }

  /** A run was ended for its validator's silence; its partition was taken last at `takenMs`. */
  staled(
    run: KnownRun,
    { atMs, takenMs, weather }: { atMs: number; takenMs: number; weather: PastWeather },
  ): void {
    const promisedMs = this.promisedMs.get(run.evalRunId);
    // An operator may end a run at any time, and limits of its length are no silence.
    if (promisedMs === undefined || run.end?.reason !== 'LEASE_EXPIRED') return;
    if (atMs < promisedMs) {
      this.#wrong('INV-08', `run ${run.evalRunId} went stale ${promisedMs - atMs} ms too early`);
    }
    const toldMs = this.#toldMs.get(run.evalRunId) ?? 0;
    // Also where it was told later: a claim may have to be asked for again, and again.
    const givenMs = Math.max(weather.unhurtSinceMs, takenMs) + amnestyMs;
    const endMs = this.#knownEndMs(run.evalRunId);
    const latestMs = Math.max(endMs + weather.disturbedMs(toldMs, endMs), givenMs);
    const byMs = Math.round(atMs - latestMs);
    if (byMs > lateMs) {
      this.#wrong('INV-07', `run ${run.evalRunId} went stale ${byMs} ms after all it was given`);
    }
    this.#deps.counters.add('runs staled');
  }

  #promised(runId: string, leaseUntilMs: number): void {
    if (leaseUntilMs > (this.promisedMs.get(runId) ?? 0)) {
      this.promisedMs.set(runId, leaseUntilMs);
      this.#toldMs.set(runId, this.#deps.kernel.domainNowMs);
    }
    const end = this.#deps.model().runs.get(runId)?.end;
    if (end?.reason === 'LEASE_EXPIRED' && end.atMs < leaseUntilMs) {
      this.#wrong('INV-08', `run ${runId} was promised time that it did not have`);
    }
  }

  #wrong(invariant: string, text: string): void {
    this.#deps.violations.add(invariant, text);
  }
}

const endNames: Readonly<Record<string, string>> = {
  SUCCESS: 'SUCCEEDED',
  FAILED: 'FAILED',
  TIMED_OUT: 'RUN_TIMED_OUT',
};
