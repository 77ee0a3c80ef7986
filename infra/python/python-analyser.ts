/**
 * Judges submitted Python files in threads of their own, so that a hostile file costs its thread
 * and its own verdict, and nobody else's request.
 *
 * 1. A file is accepted only if it was read to its end and every rule held.
 * 2. At most `workers` files are judged at once, at most `waitingMax` wait.
 */

import { systemClock } from '../clock/system-clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodeAnalyser, CodeVerdict } from '../ports/code-analysis.ts';
import { invalid } from './analyse-file.ts';
import { AnalyserOverloaded } from './analyser-overloaded.ts';
import { type AnalysisLane, createAnalysisLane } from './analysis-lane.ts';

export interface CodeAnalyserOptions {
  readonly fileBytesMax?: number;
  /** Processor time of one file, not wall clock. */
  readonly deadlineMs?: number;
  /** The sandbox's own packages, of which everything public may be used. */
  readonly agentPackages?: readonly string[];
  /** The name that a file must bind at its top level; none is asked for unless told. */
  readonly entryPoint?: string;
  /** What ids of products look like, as the source of a regular expression. */
  readonly productIdPattern?: string;
  readonly workers?: number;
  readonly waitingMax?: number;
  readonly clock?: Clock;
}

export interface RunningCodeAnalyser extends CodeAnalyser {
  /** Starts the threads; without it the first files pay for that. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createCodeAnalyser(options: CodeAnalyserOptions = {}): RunningCodeAnalyser {
  const { fileBytesMax = 1_000_000, workers = 1, waitingMax = 100 } = options;
  const { deadlineMs = 2000, agentPackages = ['paddock_agent'], clock = systemClock } = options;
  const { entryPoint, productIdPattern } = options;
  const profile = { agentPackages, entryPoint, productIdPattern };
  const lanes = Array.from({ length: workers }, () =>
    createAnalysisLane({ deadlineMs, profile, clock }),
  );
  const free = laneQueue(lanes, waitingMax);

  return {
    start: async () => void (await Promise.all(lanes.map((lane) => lane.ready()))),
    async analyse(file) {
      if (file.byteLength > fileBytesMax) return invalid(`the file exceeds ${fileBytesMax} bytes`);
      return free.use((lane) => lane.run(file));
    },
    stop: async () => void (await Promise.all(lanes.map((lane) => lane.stop()))),
  };
}

interface LaneQueue {
  use(job: (lane: AnalysisLane) => Promise<CodeVerdict>): Promise<CodeVerdict>;
}

/** First come, first served. An overflow is an outage of ours and is thrown as one. */
function laneQueue(lanes: readonly AnalysisLane[], waitingMax: number): LaneQueue {
  const idle = [...lanes];
  const waiting: ((lane: AnalysisLane) => void)[] = [];
  const acquire = (): Promise<AnalysisLane> => {
    const lane = idle.pop();
    if (lane !== undefined) return Promise.resolve(lane);
    if (waiting.length >= waitingMax)
      throw new AnalyserOverloaded(`${waitingMax} files wait already`);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (lane: AnalysisLane): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(lane);
    else next(lane);
  };
  return {
    async use(job) {
      const lane = await acquire();
      try {
        return await job(lane);
      } finally {
        release(lane);
      }
    },
  };
}
