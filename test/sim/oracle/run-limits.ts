import type { KnownRun } from './commit-model.ts';
import type { Violations } from './violations.ts';

interface PastWeather {
  readonly unhurtSinceMs: number;
  disturbedMs(fromMs: number, toMs: number): number;
}

interface Limits {
  readonly noProgressMs: number;
  readonly runLimitMs: number;
}

/** From the end of a run to the commit that says so. */
const lateMs = 2_500;

/**
 * A run that is older than a run may be, or had no progress for too long, is stale for that, and none is
 * before (rules.md 5). Disturbed time does not count, and whoever was disturbed last is given a window.
 */
export class RunLimits {
  readonly #deps: {
    readonly limits: Limits;
    readonly weather: PastWeather;
    readonly violations: Violations;
    /** What an outage that was just over, or a new owner, gives at most. */
    readonly amnestyMs: number;
    /** When the partition was taken last. */
    readonly takenMs: (part: number) => number;
  };
  /** When the latest progress was sent that was answered, by run. */
  readonly #progressMs = new Map<string, number>();

  constructor(deps: {
    readonly limits: Limits;
    readonly weather: PastWeather;
    readonly violations: Violations;
    readonly amnestyMs: number;
    readonly takenMs: (part: number) => number;
  }) {
    this.#deps = deps;
  }

  /** Progress that was sent then was answered, so it counts whatever was written of it. */
  progressed({ evalRunId }: KnownRun, sentAtMs: number): void {
    const beforeMs = this.#progressMs.get(evalRunId) ?? 0;
    this.#progressMs.set(evalRunId, Math.max(sentAtMs, beforeMs));
  }

  /** It was ended by its owner at `atMs`. */
  ended(run: KnownRun, atMs: number): void {
    const answeredMs = this.#progressMs.get(run.evalRunId) ?? 0;
    const progressAtMs = Math.max(run.progressAtMs, answeredMs);
    const limit = this.#limits({ ...run, progressAtMs }).find(
      ({ reason }) => reason === run.end?.reason,
    );
    if (limit !== undefined && atMs < limit.endMs) {
      const byMs = Math.round(limit.endMs - atMs);
      this.#wrong('INV-06', run, `ended by ${limit.reason} ${byMs} ms too early`);
    }
    this.lives(run, atMs);
  }

  /** It lived until `atMs` at least: something of it was taken that came then. */
  lives(run: KnownRun, atMs: number): void {
    const { weather, takenMs, amnestyMs } = this.#deps;
    const givenMs = Math.max(weather.unhurtSinceMs, takenMs(run.part)) + amnestyMs;
    for (const { reason, fromMs, endMs } of this.#limits(run)) {
      const latestMs = Math.max(endMs + weather.disturbedMs(fromMs, atMs), givenMs);
      const byMs = Math.round(atMs - latestMs);
      if (byMs > lateMs) this.#wrong('INV-07', run, `still there ${byMs} ms after its ${reason}`);
    }
  }

  #limits({ ageFromMs, progressAtMs }: KnownRun) {
    const { noProgressMs, runLimitMs } = this.#deps.limits;
    return [
      { reason: 'RUN_LIMIT', fromMs: ageFromMs, endMs: ageFromMs + runLimitMs },
      { reason: 'NO_PROGRESS', fromMs: progressAtMs, endMs: progressAtMs + noProgressMs },
    ];
  }

  #wrong(invariant: string, { evalRunId }: KnownRun, text: string): void {
    this.#deps.violations.add(invariant, `run ${evalRunId} was ${text}`);
  }
}
