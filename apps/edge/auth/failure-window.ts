const windowMs = 1000;

/** Failures of the last second, and who might be the next. */
export class FailureWindow {
  readonly #max: number;
  /** Oldest first. */
  readonly #failuresMs: number[] = [];
  underWay = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(nowMs: number): void {
    this.#failuresMs.push(nowMs);
    // Those under way when it filled up may fail too; older ones than the limit tell nothing more.
    if (this.#failuresMs.length > 2 * this.#max) this.#failuresMs.splice(0, this.#max);
  }

  isFull(nowMs: number): boolean {
    const outdatedMs = nowMs - windowMs;
    while ((this.#failuresMs[0] ?? Number.POSITIVE_INFINITY) <= outdatedMs)
      this.#failuresMs.shift();
    const failures = this.#failuresMs.length;
    // Who is under way may be honest: they count only while others fail.
    const isCalm = failures < this.#max / 10;
    return !isCalm && failures + this.underWay >= this.#max;
  }
}
