import { refusal } from '../../../machines/refusal.ts';

/** Completions that one edge waits for at a time: a few megabytes each at the very most. */
const edgeMax = 2000;

/**
 * How many completions of a run, and of all runs, are under way at this edge: from before the body of
 * each is read until its answer is out.
 */
export class RunSlots {
  readonly #perRunMax: number;
  readonly #byRun = new Map<string, number>();
  #taken = 0;

  constructor(perRunMax: number) {
    this.#perRunMax = perRunMax;
  }

  /** Of the run. */
  taken(evalRunId: string): number {
    return this.#byRun.get(evalRunId) ?? 0;
  }

  /**
   * Gives back what it took when the answered function is called, which must be done once.
   * @throws RATE_LIMITED, OVERLOADED
   */
  take(evalRunId: string): () => void {
    if (this.#taken >= edgeMax) {
      throw refusal('OVERLOADED', { says: 'Too many completions are under way.' });
    }
    const taken = this.taken(evalRunId);
    if (taken >= this.#perRunMax) {
      throw refusal('RATE_LIMITED', {
        says: `At most ${this.#perRunMax} completions of a run may be under way at a time.`,
        next: 'Wait until one of them has ended.',
      });
    }
    this.#taken += 1;
    this.#byRun.set(evalRunId, taken + 1);
    return () => {
      this.#taken -= 1;
      const left = this.taken(evalRunId) - 1;
      if (left === 0) this.#byRun.delete(evalRunId);
      else this.#byRun.set(evalRunId, left);
    };
  }
}
