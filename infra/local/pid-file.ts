import { readFile, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { systemClock } from '../clock/system-clock.ts';
import { commandLineOf, parentOf, startOf } from './process-facts.ts';

/**
 * Remembers which child of ours uses a folder, for the start after a crash.
 *
 * 1. A recorded child whose parent lives is left alone, and the folder is refused.
 * 2. A recorded child that was orphaned is ended before its folder is used again.
 * 3. A process that merely got the same number is never touched: it started at another time, and where that
 *    is not known its arguments differ, unless it is one of the same kind.
 */
interface PidRecord {
  readonly pid: number;
  readonly parentPid: number;
  /** Joined by spaces, without the program and what it was run through. */
  readonly args: string;
  /** Left out where it is not known. */
  readonly started?: string;
}

const orphanStopMs = 10_000;
const pollMs = 20;

export async function claimPidFile(path: string, name: string): Promise<void> {
  const record = await readRecord(path);
  if (record === undefined) return;
  if ((await isStill(record)) && (await parentOf(record.pid)) === record.parentPid) {
    throw new Error(
      `${name} already runs there as process ${record.pid}; stop process ${record.parentPid}, which started it, or use another folder`,
    );
  }
  await endOrphan(record);
  await rm(path, { force: true });
}

export async function recordPid(path: string, pid: number, args: readonly string[]): Promise<void> {
  const started = await startOf(pid);
  const record: PidRecord = {
    ...{ pid, parentPid: process.pid, args: args.join(' ') },
    ...(started !== '' && { started }),
  };
  await writeFile(path, JSON.stringify(record));
}

async function readRecord(path: string): Promise<PidRecord | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // No file, or one cut short by the crash that it was meant to survive.
    return undefined;
  }
}

async function endOrphan(record: PidRecord): Promise<void> {
  const deadline = systemClock.monotonicMs() + orphanStopMs;
  let signal: NodeJS.Signals = 'SIGINT';
  while (await isStill(record)) {
    if (systemClock.monotonicMs() > deadline) signal = 'SIGKILL';
    signalIfThere(record.pid, signal);
    await systemClock.sleep(pollMs);
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal, which is what the signal was for.
  }
}

async function isStill(record: PidRecord): Promise<boolean> {
  if (!(await commandLineOf(record.pid)).endsWith(record.args)) return false;
  if (record.started === undefined) return true;
  const started = await startOf(record.pid);
  return started === '' || started === record.started;
}
