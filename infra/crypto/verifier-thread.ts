import { Worker } from 'node:worker_threads';
import { type Claim, packClaims, type ThreadReport } from './sr25519-batch.ts';

export interface ThreadEvents {
  onReady(): void;
  onVerdicts(verdicts: Uint8Array): void;
  /** Last of all, whatever it died of; not after `end`. */
  onDeath(cause: Error): void;
}

export interface VerifierThread {
  judge(claims: readonly Claim[]): void;
  end(): Promise<void>;
}

export function startThread(program: URL, events: ThreadEvents): VerifierThread {
  // Neither the parent's flags nor NODE_OPTIONS: a thread must not load telemetry a second time.
  const worker = new Worker(program, {
    execArgv: ['--report-exclude-env'],
    env: {},
    name: 'sr25519',
  });
  let isEnding = false;
  let cause: Error | undefined;
  worker.on('message', (report: ThreadReport) => {
    if (isEnding) return;
    if (report.kind === 'ready') events.onReady();
    else events.onVerdicts(report.verdicts);
  });
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error));
  });
  worker.on('exit', (code) => {
    if (!isEnding) events.onDeath(cause ?? new Error(`the thread ended with code ${code}`));
  });
  return {
    judge: (claims) => {
      const packed = packClaims(claims);
      worker.postMessage(packed, [packed.bytes.buffer]);
    },
    end: async () => {
      isEnding = true;
      await worker.terminate();
    },
  };
}
