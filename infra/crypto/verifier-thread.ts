import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../thread-environment.ts';
import { type Claim, ClaimRoom } from './claim-room.ts';

/** `ready` once, then `judged` when the verdicts on a batch are in the room. */
export type ThreadReport = 'ready' | 'judged';

export interface ThreadEvents {
  onReady(): void;
  /** One a claim, in their order. */
  onVerdicts(verdicts: readonly boolean[]): void;
  /** The quick library died so many times more; whatever it was asked got its verdict all the same. */
  onTraps(more: number): void;
  /** Last of all, whatever it died of; not after `end`. */
  onDeath(cause: Error): void;
}

export interface VerifierThread {
  /** One batch at a time: not before the verdicts on the one before. */
  judge(claims: readonly Claim[]): void;
  end(): Promise<void>;
}

export function startThread(program: URL, events: ThreadEvents): VerifierThread {
  const room = new ClaimRoom();
  // Neither the parent's flags nor NODE_OPTIONS: a thread must not load telemetry a second time.
  const worker = new Worker(program, {
    ...{ execArgv: ['--report-exclude-env'], env: threadEnvironment(), name: 'sr25519' },
    workerData: room.shared,
  });
  let isEnding = false;
  let cause: Error | undefined;
  let traps = 0;
  worker.on('message', (report: ThreadReport) => {
    if (isEnding) return;
    if (report === 'ready') return events.onReady();
    const more = room.traps - traps;
    traps += more;
    if (more > 0) events.onTraps(more);
    events.onVerdicts(room.verdicts());
  });
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error));
  });
  worker.on('exit', (code) => {
    if (!isEnding) events.onDeath(cause ?? new Error(`the thread ended with code ${code}`));
  });
  return {
    judge: (claims) => room.put(claims),
    end: async () => {
      isEnding = true;
      await worker.terminate();
    },
  };
}
