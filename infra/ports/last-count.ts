import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';
import type { Telemetry } from './telemetry.ts';

/** The count that an alarm goes by: values of a label. */
export type CountedThing =
  | 'idle-work'
  | 'outbox'
  | 'race-tasks'
  | 'streams'
  | 'stuck'
  | 'stuck-messages';

/** So many counts may be missed, and never less than a minute: one that fails is no news. */
const missedMax = 3;
const knownMsMin = 60_000;

export interface LastCountDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
  readonly everyMs: number;
  readonly what: CountedThing;
}

/**
 * How long ago something was counted that an alarm goes by. What cannot be counted looks as it did when
 * it last was, mostly well: so it is not known after a while, and an alarm goes by its age.
 */
export class LastCount {
  readonly #deps: LastCountDeps;
  #countedMs: number;
  #hasCounted = false;
  #isFailing = false;

  constructor(deps: LastCountDeps) {
    this.#deps = deps;
    this.#countedMs = deps.clock.monotonicMs();
  }

  /** Shows the age until the returned function is called. */
  show(): () => void {
    const { telemetry, what } = this.#deps;
    return telemetry.gauge('paddock.count.age', () => this.#ageMs / 1000, { what });
  }

  /** What was counted last; undefined where that was too long ago. */
  known<T>(value: T): T | undefined {
    const knownMs = Math.max(knownMsMin, missedMax * this.#deps.everyMs);
    return this.#hasCounted && this.#ageMs <= knownMs ? value : undefined;
  }

  async attempt(count: () => Promise<void>): Promise<void> {
    const { clock, log, what } = this.#deps;
    try {
      await count();
      this.#countedMs = clock.monotonicMs();
      this.#hasCounted = true;
      if (this.#isFailing) log.info('what an alarm goes by is counted again', { what });
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn('what an alarm goes by could not be counted', { what, error });
      this.#isFailing = true;
    }
  }

  get #ageMs(): number {
    return this.#deps.clock.monotonicMs() - this.#countedMs;
  }
}
