import { type Distribution, distributionOf } from './distribution.ts';
import type { Samples } from './streams.ts';

/** A part of a schedule: all streams run at so many times their own rate. */
export interface Phase {
  readonly seconds: number;
  readonly factor: number;
}

/** By how much a stream is faster so long after its start; as in the last phase after all of them. */
export function factorAt(phases: readonly Phase[], sinceMs: number): number {
  let endMs = 0;
  for (const { seconds, factor } of phases) {
    endMs += seconds * 1000;
    if (sinceMs < endMs) return factor;
  }
  return phases.at(-1)?.factor ?? 1;
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What became of that which was due in a window. */
export interface WindowFigures {
  readonly offered: number;
  readonly good: number;
  /** 503. */
  readonly shed: number;
  /** Of good answers, from when they were due. */
  readonly goodMs: Distribution;
  readonly shedMs: Distribution;
  /** By how much the generator sent late, p99. */
  readonly lateP99Ms: number;
}

export function windowFigures(all: readonly Samples[], window: Window): WindowFigures {
  const goodMs: number[] = [];
  const shedMs: number[] = [];
  const lateMs: number[] = [];
  let offered = 0;
  for (const { dueMs, sentMs, doneMs, status } of all) {
    for (const [index, due] of dueMs.entries()) {
      if (due < window.fromMs || due >= window.toMs) continue;
      offered += 1;
      const ms = (doneMs[index] ?? Number.NaN) - due;
      lateMs.push((sentMs[index] ?? Number.NaN) - due);
      const answer = status[index] ?? 0;
      if (answer >= 200 && answer < 300) goodMs.push(ms);
      if (answer === 503) shedMs.push(ms);
    }
  }
  return {
    ...{ offered, good: goodMs.length, shed: shedMs.length },
    ...{ goodMs: distributionOf(goodMs), shedMs: distributionOf(shedMs) },
    lateP99Ms: distributionOf(lateMs).p99Ms,
  };
}

/** Over all of it. */
export function lateP99Ms(all: readonly Samples[]): number {
  const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
  return windowFigures(all, always).lateP99Ms;
}

const stepMs = 500;

/**
 * How long after the begin of a window the last half second ends in which something was refused, or the
 * p99 of good answers was above the limit. Its whole length when that is the last one.
 */
export function recoveredAfterMs(
  all: readonly Samples[],
  { fromMs, toMs }: Window,
  p99MaxMs: number,
): number {
  let afterMs = 0;
  for (let ms = fromMs; ms + stepMs <= toMs; ms += stepMs) {
    const { goodMs, good, offered } = windowFigures(all, { fromMs: ms, toMs: ms + stepMs });
    const isNormal = good === offered && !(goodMs.p99Ms > p99MaxMs);
    if (!isNormal) afterMs = ms + stepMs - fromMs;
  }
  return afterMs;
}
