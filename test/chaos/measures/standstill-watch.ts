import { systemClock } from '../../../infra/clock/system-clock.ts';
import { nowMs } from '../clients/history.ts';
import type { Hindrances } from './hindrances.ts';
import { type Standstill, Standstills, type Waiting } from './standstills.ts';

export interface WatchPlan {
  /** What a violation is of. */
  readonly rule: string;
  readonly everyMs: number;
  /** The longest that a thing may stand still while nothing hinders the service. */
  readonly mostMs: number;
  /** All that waits now. */
  find(): Promise<readonly Waiting[]>;
}

/** For the report. */
export interface Watched {
  readonly rule: string;
  readonly longest: Standstill | null;
  readonly mostMs: number;
}

/** Looks again and again what waits for the service, from the first fault until all is quiet. */
export class StandstillWatch {
  readonly rule: string;
  readonly #plan: WatchPlan;
  readonly #standstills: Standstills;
  readonly #stop: () => void;
  #looks = 0;

  constructor(hindrances: Hindrances, plan: WatchPlan) {
    this.rule = plan.rule;
    this.#plan = plan;
    this.#standstills = new Standstills(hindrances, plan.mostMs);
    // A look that fails saw nothing: the database is away, which is a hindrance.
    this.#stop = systemClock.every(plan.everyMs, () => this.#look().catch(() => undefined));
  }

  stop(): void {
    this.#stop();
  }

  violations(): readonly string[] {
    const { rule, mostMs } = this.#plan;
    if (this.#looks === 0) return [`nobody looked for ${rule}`];
    return this.#standstills.tooLong.map(
      ({ name, ms, state }) =>
        `${name} for ${Math.round(ms)} ms unhindered, more than ${mostMs}: ${state}`,
    );
  }

  watched(): Watched {
    const { rule, mostMs } = this.#plan;
    return { rule, mostMs, longest: this.#standstills.longest ?? null };
  }

  async #look(): Promise<void> {
    const askedMs = nowMs();
    const found = await this.#plan.find();
    this.#standstills.looked({ askedMs, answeredMs: nowMs() }, found);
    this.#looks += 1;
  }
}
