import type { TelemetryAttributes } from '../ports/telemetry.ts';

/** Labels are few-valued by promise; a broken one costs one series more, and no memory without end. */
const seriesMax = 2_000;

type Branch<T> = Map<unknown, Branch<T> | T>;

/** One metric's series, in a tree with a level for each label. */
export class Series<T> {
  readonly all: T[] = [];
  readonly #labels: readonly string[];
  readonly #begin: (attributes: TelemetryAttributes) => T;
  readonly #root: Branch<T> = new Map();
  #overflow: T | undefined;

  constructor(labels: readonly string[] = [], begin: (attributes: TelemetryAttributes) => T) {
    // Without labels there is one level all the same, under what no attribute says.
    this.#labels = labels.length === 0 ? [''] : labels;
    this.#begin = begin;
  }

  of(attributes: TelemetryAttributes = none): T {
    let branch = this.#root;
    const last = this.#labels.length - 1;
    for (let level = 0; level < last; level++) {
      const value = attributes[this.#labels[level] ?? ''];
      const next = branch.get(value) as Branch<T> | undefined;
      if (next === undefined) return this.#begun(attributes);
      branch = next;
    }
    const leaf = branch.get(attributes[this.#labels[last] ?? '']) as T | undefined;
    return leaf ?? this.#begun(attributes);
  }

  #begun(attributes: TelemetryAttributes): T {
    if (this.all.length >= seriesMax) {
      this.#overflow ??= this.#listed(overflowing);
      return this.#overflow;
    }
    const values = this.#labels.map((label) => attributes[label]);
    let branch = this.#root;
    for (const value of values.slice(0, -1)) {
      const next = (branch.get(value) as Branch<T> | undefined) ?? new Map();
      branch.set(value, next);
      branch = next;
    }
    const leaf = this.#listed({ ...attributes });
    branch.set(values.at(-1), leaf);
    return leaf;
  }

  #listed(attributes: TelemetryAttributes): T {
    const series = this.#begin(attributes);
    this.all.push(series);
    return series;
  }
}

const none: TelemetryAttributes = {};
/** As OpenTelemetry's specification calls it. */
const overflowing: TelemetryAttributes = { 'otel.metric.overflow': true };
