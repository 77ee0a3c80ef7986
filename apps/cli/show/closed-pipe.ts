import type { EventEmitter } from 'node:events';

/**
 * Whoever reads only the first lines closes the pipe; that is no error of anybody's. What more is said goes nowhere,
 * and the command ends with its own code: a no that nobody read to its end is still no yes.
 */
export function outliveReader(stream: EventEmitter, closed?: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    closed?.();
  });
}
