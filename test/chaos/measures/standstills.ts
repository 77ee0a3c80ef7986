import { type Hindrances, hinderedUntil } from './hindrances.ts';

/** Something that waits for the service, as one look found it. */
export interface Waiting {
  /** For people too; one look has it once. */
  readonly name: string;
  /** Changes with whatever is done about it. */
  readonly state: string;
  /** The member in charge; null where any may be. */
  readonly owner: string | null;
}

export interface Standstill {
  readonly name: string;
  readonly ms: number;
  /** As it was found all that time. */
  readonly state: string;
}

/** Of a look: nobody knows at which moment between the two the database was read. */
export interface LookTimes {
  readonly askedMs: number;
  readonly answeredMs: number;
}

/**
 * How long things stood still although nothing hindered the service. Each time is a lower bound: from
 * the first look that found a thing as it is, or from the end of the last hindrance.
 */
export class Standstills {
  readonly #hindrances: Hindrances;
  readonly #mostMs: number;
  #known = new Map<string, { readonly state: string; readonly sinceMs: number }>();
  #longest: Standstill | undefined;
  readonly #tooLong = new Map<string, Standstill>();

  constructor(hindrances: Hindrances, mostMs: number) {
    this.#hindrances = hindrances;
    this.#mostMs = mostMs;
  }

  get longest(): Standstill | undefined {
    return this.#longest;
  }

  /** Those that stood still for longer than they may. */
  get tooLong(): readonly Standstill[] {
    return [...this.#tooLong.values()];
  }

  /** All that was found waiting; what is not among it goes on. */
  looked({ askedMs, answeredMs }: LookTimes, found: readonly Waiting[]): void {
    const before = this.#known;
    this.#known = new Map();
    const hinderedUntilMs = hinderedUntil(this.#hindrances, answeredMs);
    for (const { name, state, owner } of found) {
      const known = before.get(name);
      const sinceMs = known?.state === state ? known.sinceMs : answeredMs;
      this.#known.set(name, { state, sinceMs });
      const ms = askedMs - Math.max(sinceMs, hinderedUntilMs(owner));
      this.#note({ name, ms, state });
    }
  }

  #note(found: Standstill): void {
    const { name, ms } = found;
    if (ms > (this.#longest?.ms ?? 0)) this.#longest = found;
    const isLonger = ms > (this.#tooLong.get(name)?.ms ?? 0);
    if (ms > this.#mostMs && isLonger) this.#tooLong.set(name, found);
  }
}
