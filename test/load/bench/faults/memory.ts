import { readFileSync } from 'node:fs';

const kilobyte = 1024;

/** What a process holds in memory now, in bytes; NaN where there is no /proc, or no such process. */
export function residentBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) * kilobyte;
  } catch {
    return Number.NaN;
  }
}

export interface MemoryPeak {
  /** The most that each process held at once. */
  readonly bytes: readonly number[];
  /** The most that they held together. */
  readonly sumBytes: number;
}

const everyMs = 200;

/** Looks again and again until it is stopped. */
export function watchMemory(pids: readonly number[]): { stop(): MemoryPeak } {
  const peaks = pids.map(() => 0);
  let sumBytes = 0;
  const look = () => {
    const now = pids.map(residentBytes);
    for (const [index, bytes] of now.entries()) peaks[index] = Math.max(peaks[index] ?? 0, bytes);
    sumBytes = Math.max(
      sumBytes,
      now.reduce((sum, bytes) => sum + bytes, 0),
    );
  };
  const timer = setInterval(look, everyMs);
  look();
  return {
    stop() {
      clearInterval(timer);
      look();
      return { bytes: peaks, sumBytes };
    },
  };
}
