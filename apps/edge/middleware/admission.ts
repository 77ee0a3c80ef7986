/** How many requests may be in flight, over all classes, for one of the class to be let in. */
export interface AdmissionLimits {
  readonly class0: number;
  readonly class1: number;
  readonly class2: number;
}

// Heartbeats and results keep half of the room for themselves: a shed read is asked again by a
// person, a shed heartbeat may cost an evaluation. 1,024 requests at 10 ms each are beyond what two
// cores serve, so whoever stands behind that would only time out.
export const defaultAdmissionLimits: AdmissionLimits = { class0: 1024, class1: 768, class2: 512 };

/** Counts what is in flight; reads are shed first, heartbeats and results last. */
export class Admission {
  readonly #limits: readonly [number, number, number];
  #inFlight = 0;

  constructor(limits: AdmissionLimits = defaultAdmissionLimits) {
    this.#limits = [limits.class0, limits.class1, limits.class2];
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** True when let in; then `leave` must be called exactly once. */
  enter(trafficClass: 0 | 1 | 2): boolean {
    if (this.#inFlight >= this.#limits[trafficClass]) return false;
    this.#inFlight += 1;
    return true;
  }

  leave(): void {
    this.#inFlight -= 1;
  }
}
