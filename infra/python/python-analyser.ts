/**
 * Judges submitted Python files in a thread and a process of their own, so that a hostile file
 * costs those and its own verdict, and nobody else's request.
 *
 * 1. A file is accepted only if CPython takes it for one of its own, if our reader read it to its
 *    end, and if every rule held. In that order: what is no Python is refused in CPython's words.
 * 2. No file is refused for being slow on a busy machine: `AnalyserOverloaded` asks for it again.
 * 3. At most `workers` files are judged at once, at most `waitingMax` wait.
 */

import { systemClock } from '../clock/system-clock.ts';
import type { Clock } from '../ports/clock.ts';
import { AnalyserOverloaded, type CodeAnalyser, type CodeVerdict } from '../ports/code-analysis.ts';
import { type AnalysisLane, createAnalysisLane } from './analysis-lane.ts';
import type { Judgement } from './cpython/judgement.ts';
import { type JudgeLease, leaseJudge } from './cpython/shared-judge.ts';
import { invalid, verdictOf } from './file-reading.ts';
import { undecodable } from './source-file.ts';

/** Processor time of one file: an honest 900 kB take half of it, what takes more is no agent. */
export const analysisMs = 2000;

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
  /** Starts the threads; without it the first files pay for that. CPython waits for a file. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createCodeAnalyser(options: CodeAnalyserOptions = {}): RunningCodeAnalyser {
  const { fileBytesMax = 1_000_000, workers = 1, waitingMax = 100 } = options;
  const {
    deadlineMs = analysisMs,
    agentPackages = ['paddock_agent'],
    clock = systemClock,
  } = options;
  const { entryPoint, productIdPattern } = options;
  const profile = { agentPackages, entryPoint, productIdPattern };
  const lanes = Array.from({ length: workers }, () =>
    createAnalysisLane({ deadlineMs, profile, clock }),
  );
  const free = laneQueue(lanes, waitingMax);

  let lease: JudgeLease | null = null;
  const judge = (): JudgeLease => {
    lease ??= leaseJudge(deadlineMs);
    return lease;
  };

  return {
    start: async () => void (await Promise.all(lanes.map((lane) => lane.ready()))),
    async analyse(file) {
      if (file.byteLength > fileBytesMax) return invalid(`the file exceeds ${fileBytesMax} bytes`);
      const refusal = undecodable(file);
      if (refusal !== null) return invalid(refusal.reason, refusal.line);
      return free.use(async (lane) => {
        // Side by side, on two processors: neither needs the other's answer.
        const [judgement, reading] = await bothEnded(judge().judge(file), lane.run(file));
        const refusal = refusalOf(judgement, deadlineMs);
        if (refusal !== null) return refusal;
        if (judgement.kind === 'disturbed' || reading.kind === 'disturbed')
          throw new AnalyserOverloaded('the processors are too busy to analyse a file in its time');
        return verdictOf(reading);
      });
    },
    async stop() {
      const leased = lease;
      lease = null;
      await Promise.all([...lanes.map((lane) => lane.stop()), leased?.release()]);
    },
  };
}

/** Both, once neither goes on, even where one failed: a lane that still reads is nobody else's yet. */
async function bothEnded<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return await Promise.all([one, other]);
}

function refusalOf(judgement: Judgement, deadlineMs: number): CodeVerdict | null {
  if (judgement.kind === 'parses' || judgement.kind === 'disturbed') return null;
  if (judgement.kind === 'refused')
    return invalid(judgement.message, judgement.line ?? undefined, readAs);
  return invalid(exhaustions[judgement.what](deadlineMs));
}

// A newer Python takes quotes reused in an f-string, `def f[T]` and `type X = …`, and says no word against them.
const readAs = 'the file is read as Python 3.11';

const exhaustions = {
  time: (ms: number) => `Python cannot compile the file within ${ms / 1000} s`,
  memory: () => 'Python cannot compile the file within 256 MiB',
  depth: () => 'the file is too complex or too deeply nested for Python',
};

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
