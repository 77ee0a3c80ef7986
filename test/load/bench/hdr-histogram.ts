/** Each bucket's upper edge over its lower one. */
const width = 1.02;
/** Where the first bucket ends: nothing that is measured here is that fast. */
const firstMs = 0.001;
const bucketCount = 1_024;
const logWidth = Math.log(width);

/** Latencies in buckets that are 2 % wide, from a microsecond to hours; adds up over rounds. */
export class HdrHistogram {
  readonly #counts: Float64Array;
  #count = 0;

  constructor(counts: Iterable<number> = []) {
    this.#counts = new Float64Array(bucketCount);
    this.#add(counts);
  }

  static of(latenciesMs: Iterable<number>): HdrHistogram {
    const histogram = new HdrHistogram();
    for (const ms of latenciesMs) histogram.record(ms);
    return histogram;
  }

  get count(): number {
    return this.#count;
  }

  record(ms: number): void {
    const index = ms <= firstMs ? 0 : Math.ceil(Math.log(ms / firstMs) / logWidth);
    const bucket = Math.min(bucketCount - 1, index);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count += 1;
  }

  add(other: HdrHistogram): this {
    this.#add(other.#counts);
    return this;
  }

  /** For another process. */
  get counts(): Float64Array {
    return this.#counts;
  }

  /** The upper edge of the bucket in which that share of all is reached; NaN of none. */
  quantileMs(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted) return edgeMs(bucket);
    }
    return Number.NaN;
  }

  /** Those that are not empty, ascending, for a drawing. */
  buckets(): readonly { readonly toMs: number; readonly count: number }[] {
    return [...this.#counts].flatMap((count, bucket) =>
      count === 0 ? [] : [{ toMs: edgeMs(bucket), count }],
    );
  }

  #add(counts: Iterable<number>): void {
    let bucket = 0;
    for (const count of counts) {
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
      this.#count += count;
      bucket += 1;
    }
  }
}

function edgeMs(bucket: number): number {
  return firstMs * width ** bucket;
}
