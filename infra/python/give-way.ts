import { setPriority } from 'node:os';

/** Of `nice`: a third of what the other one gets where two want the same processor. */
const niceness = 5;

/**
 * Has the calling thread give way to whoever answers requests: an edge that waits for its turn behind the
 * reading of a large file answers everybody late (infra/decisions/0062-who-reads-gives-way.md). Linux counts
 * niceness by thread. Elsewhere it is the whole process's, so nothing is done there.
 */
export function giveWay(): void {
  if (process.platform === 'linux') haveGiveWay(0);
}

/** The same of a process that was just started, and of the threads that it starts from here on. */
export function haveGiveWay(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // A hardened machine may forbid it, and the process may have ended: files are read all the same.
  }
}
