import type { Writable } from 'node:stream';

/** Of lines that nobody has taken: a reader that hangs must not fill the process's memory. */
const waitingBytesMax = 4 * 1024 * 1024;

/**
 * Writes log lines for whoever reads them, and outlives the reader: one that ends or hangs costs lines,
 * not the process. How many were dropped is said before the next line that is taken.
 */
export function logLinesTo(stream: Writable): (line: string) => void {
  let droppedCount = 0;
  stream.on('error', () => undefined);
  return (line) => {
    if (stream.writableLength > waitingBytesMax) {
      droppedCount += 1;
      return;
    }
    if (droppedCount > 0) {
      const fields = { level: 'warn', message: 'log lines were dropped', count: droppedCount };
      droppedCount = 0;
      stream.write(`${JSON.stringify(fields)}\n`);
    }
    stream.write(line);
  };
}
