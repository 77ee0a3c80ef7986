import type { Samples } from './streams.ts';

/** A time without a good answer. Unix milliseconds. */
export interface Gap {
  readonly key: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly ms: number;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Answers in the 200s, by what they were asked of, in the order in which they came. */
export function goodAnswersByKey(samples: Samples): ReadonlyMap<number, Float64Array> {
  const byKey = new Map<number, number[]>();
  for (const [index, status] of samples.status.entries()) {
    const key = samples.key[index] ?? Number.NaN;
    const times = byKey.get(key) ?? [];
    byKey.set(key, times);
    if (status >= 200 && status < 300) times.push(samples.doneMs[index] ?? Number.NaN);
  }
  return new Map([...byKey].map(([key, times]) => [key, Float64Array.from(times).sort()]));
}

/**
 * The longest gap of each key that touches the span, in whole: also what of it lies outside. One that no
 * good answer ends goes on to `endMs`, when the asking stopped.
 */
export function longestGaps(
  goodByKey: ReadonlyMap<number, Float64Array>,
  span: Span,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): readonly Gap[] {
  return [...goodByKey].map(([key, times]) => {
    let longest: Gap = { key, fromMs: span.fromMs, toMs: span.fromMs, ms: 0 };
    let fromMs = startMs;
    for (const toMs of [...times, endMs]) {
      const doesTouch = toMs > span.fromMs && fromMs < span.toMs;
      if (doesTouch && toMs - fromMs > longest.ms)
        longest = { key, fromMs, toMs, ms: toMs - fromMs };
      fromMs = toMs;
    }
    return longest;
  });
}
