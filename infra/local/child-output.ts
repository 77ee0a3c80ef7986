import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { copyFile, stat, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { systemClock } from '../clock/system-clock.ts';
import type { Clock } from '../ports/clock.ts';

/** A file that the child itself appends to, which is kept from growing without end, or a function called with each line it prints. */
export type LogSink = string | ((line: string) => void);

export interface ChildOutput {
  readonly stdio: number | 'pipe';
  /** To be called at once after the spawn. */
  attach(process: ChildProcess): void;
  /** The last lines of this run. */
  tail(): string;
}

const tailLines = 10;
/** Of a file, and of the older one beside it: as compose cuts those of its containers. */
const logBytesMax = 50 * 1024 ** 2;
const lookEveryMs = 10_000;

export interface LogLimit {
  readonly clock: Pick<Clock, 'every'>;
  readonly bytesMax: number;
}

const usualLimit: LogLimit = { clock: systemClock, bytesMax: logBytesMax };

export function openOutput(sink: LogSink | undefined, limit = usualLimit): ChildOutput {
  return typeof sink === 'string' ? fileOutput(sink, limit) : lineOutput(sink);
}

// The child gets the file itself: a pipe would break when we die, and a Go program that writes
// to a broken standard error is killed in the middle of its own orderly stop.
function fileOutput(path: string, { clock, bytesMax }: LogLimit): ChildOutput {
  const file = openSync(path, 'a');
  let startedAtByte = statSync(path).size;
  const look = async () => {
    if (await wasCut(path, bytesMax)) startedAtByte = 0;
  };
  return {
    stdio: file,
    attach: (process) => {
      closeSync(file);
      const stop = clock.every(lookEveryMs, look);
      process.once('exit', stop);
      process.once('error', stop);
    },
    tail: () =>
      lastLines(readFileSync(path).subarray(startedAtByte).toString().trimEnd().split('\n')),
  };
}

/**
 * Copied and cut, for the child holds the file and would go on writing to it under any name. What it writes
 * between the two is lost. On a disk that has no room for the copy nothing is cut, and nothing grows either.
 */
async function wasCut(path: string, bytesMax: number): Promise<boolean> {
  try {
    if ((await stat(path)).size <= bytesMax) return false;
    await copyFile(path, `${path}.1`);
    await truncate(path);
    return true;
  } catch {
    // The next look tries again.
    return false;
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
    tail: () => lastLines(lines),
  };
}

function lastLines(lines: readonly string[]): string {
  return lines.slice(-tailLines).join('\n');
}
