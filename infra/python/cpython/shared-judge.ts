import { systemClock } from '../../clock/system-clock.ts';
import { createPythonJudge, type PythonJudge } from './python-judge.ts';

export interface JudgeLease extends Pick<PythonJudge, 'judge' | 'pid'> {
  /** The last one to give its lease back ends the process. */
  release(): Promise<void>;
}

interface Shared {
  readonly judge: PythonJudge;
  leases: number;
}

// One CPython a process, however many edges live in it: each costs 180 MB.
const shared = new Map<number, Shared>();

/** A judge that all who ask for the same bound share. Costs nothing before the first file. */
export function leaseJudge(deadlineMs: number): JudgeLease {
  const existing = shared.get(deadlineMs);
  const entry = existing ?? {
    judge: createPythonJudge({ deadlineMs, clock: systemClock }),
    leases: 0,
  };
  shared.set(deadlineMs, entry);
  entry.leases += 1;
  let released = false;
  return {
    judge: entry.judge.judge,
    pid: entry.judge.pid,
    async release() {
      if (released) return;
      released = true;
      entry.leases -= 1;
      // The entry stays: who leases meanwhile finds a judge that starts again by itself.
      if (entry.leases === 0) await entry.judge.rest();
    },
  };
}
