const firstPauseMs = 5_000;
/** Who stays out cannot take over from another one that is cut off. */
const lastPauseMs = 20_000;
/** As a member, after which what was before says nothing any more. */
const calmMs = 3 * 60_000;

/**
 * How often others ended the lease of this process while it lived, because they do not reach it through the
 * broker. Once may be chance; one that came back at once each time would take its partitions and lose them
 * again without end.
 */
export class Ejections {
  #count = 0;
  #joinedMs = Number.NEGATIVE_INFINITY;

  joined(nowMs: number): void {
    this.#joinedMs = nowMs;
  }

  /** How long it is to stay out. */
  ejected(nowMs: number): number {
    if (nowMs - this.#joinedMs >= calmMs) this.#count = 0;
    this.#count += 1;
    if (this.#count === 1) return 0;
    return Math.min(firstPauseMs * 2 ** (this.#count - 2), lastPauseMs);
  }
}
