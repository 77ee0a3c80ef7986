import { getPriority, setPriority } from 'node:os';

/** Of `nice`: a third of what the other one gets where two want the same processor. */
const steps = 5;
const nicest = 19;

/** Beside this process's own, which an operator may have set. */
export function readersNiceness(): number {
  return Math.min(getPriority(process.pid) + steps, nicest);
}

/**
 * Has the calling thread give way to whoever answers requests: an edge that waits for its turn behind the
 * reading of a large file answers everybody late (infra/decisions/0062-who-reads-gives-way.md). Linux counts
 * niceness by thread. Elsewhere it is the whole process's, so nothing is done there.
 *
 * @param niceness where the process is one of readers alone, whose own is theirs already
 */
export function giveWay(niceness = readersNiceness()): void {
  if (process.platform === 'linux') haveGiveWay(0, niceness);
}

/** The same of a process that was just started, and of the threads that it starts from here on. */
export function haveGiveWay(pid: number, niceness = readersNiceness()): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // A hardened machine may forbid it, and the process may have ended: files are read all the same.
  }
}
