import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { rename, rm, stat, statfs, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '../clock/system-clock.ts';
import type { Clock } from '../ports/clock.ts';

/** A file that the child itself appends to, kept from growing without end, or a function called with each line. */
export type LogSink = string | ((line: string) => void);

export interface ChildOutput {
  readonly stdio: number | 'pipe';
  /** To be called at once after the spawn. */
  attach(process: ChildProcess): void;
  /** In its place, where there was none. */
  discard(): void;
  /** The last lines of this run. */
  tail(): string;
}

const tailLines = 10;
/** Of a file, and of the older one beside it: as compose cuts those of its containers. */
const logBytesMax = 50 * 1024 ** 2;
const lookEveryMs = 10_000;
/** What must be free on the disk for an older one to be kept, in logs. */
const roomFactor = 10;

export interface LogLimit {
  readonly clock: Pick<Clock, 'every'>;
  readonly bytesMax: number;
  /** Of the disk that this file lies on. */
  readonly freeBytes: (path: string) => Promise<number>;
}

const usualLimit: LogLimit = {
  clock: systemClock,
  bytesMax: logBytesMax,
  freeBytes: async (path) => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  },
};

export async function openOutput(
  sink: LogSink | undefined,
  limit = usualLimit,
): Promise<ChildOutput> {
  return typeof sink === 'string' ? await fileOutput(sink, limit) : lineOutput(sink);
}

// The child gets the file itself: a pipe would break when we die, and a Go program that writes
// to a broken standard error is killed in the middle of its own orderly stop.
async function fileOutput(path: string, limit: LogLimit): Promise<ChildOutput> {
  // A process that ends within seconds, again and again, sees none of the later looks.
  await wasCut(path, limit);
  const file = openSync(path, 'a');
  let startedAtByte = statSync(path).size;
  const look = async () => {
    if (await wasCut(path, limit)) startedAtByte = 0;
  };
  return {
    stdio: file,
    attach: (process) => {
      closeSync(file);
      const stop = limit.clock.every(lookEveryMs, look);
      process.once('exit', stop);
      process.once('error', stop);
    },
    discard: () => closeSync(file),
    tail: () => lastLines(bytesOf(path).subarray(startedAtByte).toString().trimEnd().split('\n')),
  };
}

/**
 * Copied and cut, for the child holds the file and would go on writing to it under any name. What it writes
 * between the two is lost, and so is the log itself on a disk that has little room left: the database and the
 * broker lie on the same one, and may not survive a full one.
 */
async function wasCut(path: string, limit: LogLimit): Promise<boolean> {
  try {
    const { size } = await stat(path);
    if (size <= limit.bytesMax) return false;
    await keepEnd(path, size, limit);
    await truncate(path);
    return true;
  } catch {
    // The next look tries again.
    return false;
  }
}

/** Its last bytes, in place of what was kept before. */
async function keepEnd(
  path: string,
  size: number,
  { bytesMax, freeBytes }: LogLimit,
): Promise<void> {
  if ((await freeBytes(path)) < bytesMax * roomFactor) return;
  const [older, coming] = [`${path}.1`, `${path}.1.part`];
  try {
    const end = createReadStream(path, { start: size - bytesMax, end: size - 1 });
    await pipeline(end, createWriteStream(coming));
    await rename(coming, older);
  } catch {
    await rm(coming, { force: true });
  }
}

function lineOutput(onLine: ((line: string) => void) | undefined): ChildOutput {
  const lines: string[] = [];
  const collect = (line: string) => {
    lines.push(line);
    if (lines.length > tailLines) lines.shift();
    onLine?.(line);
  };
  return {
    stdio: 'pipe',
    attach: ({ stdout, stderr }) => {
      for (const input of [stdout, stderr]) {
        if (input !== null) createInterface({ input }).on('line', collect);
      }
    },
    discard: () => undefined,
    tail: () => lastLines(lines),
  };
}

/** Whoever asks has an error to tell, which a log that somebody took away must not hide. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function lastLines(lines: readonly string[]): string {
  return lines.slice(-tailLines).join('\n');
}
