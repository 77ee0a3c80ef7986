import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A file that the child itself appends to, or a function called with each line it prints. */
export type LogSink = string | ((line: string) => void);

export interface ChildOutput {
  readonly stdio: number | 'pipe';
  /** To be called at once after the spawn. */
  attach(process: ChildProcess): void;
  /** The last lines of this run. */
  tail(): string;
}

const tailLines = 10;

export function openOutput(sink: LogSink | undefined): ChildOutput {
  return typeof sink === 'string' ? fileOutput(sink) : lineOutput(sink);
}

// The child gets the file itself: a pipe would break when we die, and a Go program that writes
// to a broken standard error is killed in the middle of its own orderly stop.
function fileOutput(path: string): ChildOutput {
  const file = openSync(path, 'a');
  const startedAtByte = statSync(path).size;
  return {
    stdio: file,
    attach: () => closeSync(file),
    tail: () =>
      lastLines(readFileSync(path).subarray(startedAtByte).toString().trimEnd().split('\n')),
  };
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
