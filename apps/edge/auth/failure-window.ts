const windowMs = 1000;
const calmFailures = 5;

/** Failures of the last second, and who might be the next. */
export class FailureWindow {
  readonly #max: number;
  /** Oldest first. */
  readonly #failuresMs: number[] = [];
  readonly #calmBelow: number;
  underWay = 0;

  constructor(max: number) {
    this.#max = max;
    // A single wrong clock among many honest callers is no flood.
    this.#calmBelow = Math.max(max / 10, Math.min(calmFailures, max / 2));
  }

  /** False when more would tell nothing: so many of those under way when it filled up failed too. */
  add(nowMs: number): boolean {
    if (this.#failures(nowMs) >= this.#max) return false;
    this.#failuresMs.push(nowMs);
    return true;
  }

  isFull(nowMs: number): boolean {
    const failures = this.#failures(nowMs);
    // Who is under way may be honest: they count only while others fail.
    return failures >= this.#calmBelow && failures + this.underWay >= this.#max;
  }

  #failures(nowMs: number): number {
    const outdatedMs = nowMs - windowMs;
    while ((this.#failuresMs[0] ?? Number.POSITIVE_INFINITY) <= outdatedMs)
      this.#failuresMs.shift();
    return this.#failuresMs.length;
  }
}
