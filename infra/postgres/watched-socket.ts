import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { lookEvery } from '../clock/backstop.ts';
import { asError } from './failure.ts';
import { NotConnected } from './not-connected.ts';

export interface SocketWatch {
  /** Asked at each look: a transaction may be given longer. Zero for no limit. */
  readonly silenceMs: () => number;
  /** A connection that stood is gone. */
  readonly onLost: () => void;
}

/** The library greets the server within one turn of the event loop. */
const muteMs = 20;
const lookEveryMs = 250;
/** ReadyForQuery, outside of a transaction: the end of what a server says before the first statement. */
const readyForQuery = Buffer.from('Z\0\0\0\x05I');

/**
 * A connection that gives up on a silent server. Without it a statement whose packets vanish waits
 * until the kernel stops retrying, a quarter of an hour later, and its partition with it. Destroying
 * the socket fails the statement, which then counts as in doubt. Idle connections stay.
 */
export function watchedSocket(socket: Socket, { silenceMs, onLost }: SocketWatch): Socket {
  // A server may have been asked for TLS before, on the same socket.
  const before = socket.bytesWritten;
  const sentBytes = () => socket.bytesWritten - before;
  endAtOnce(socket, sentBytes, onLost);
  endIfMute(socket, sentBytes);
  endIfSilent(socket, silenceMs);
  return socket;
}

/**
 * In place of a line that could not be made. It takes the library's greeting before it fails: what
 * the library keeps unsent, it never sends (see `endAtOnce`); what it is not given a socket for, it
 * never tries again.
 */
export function failedSocket(why: unknown): Duplex {
  const socket: Duplex = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => done(asError(why)),
    emitClose: false,
    destroy: (error, done) => {
      done(error);
      // The library waits longer after each failure that it is told of at the end.
      process.nextTick(() => socket.emit('close', error !== null));
    },
  });
  return socket;
}

/** See `endAtOnce` for where such a connection comes from. */
function endIfMute(socket: Socket, sentBytes: () => number): void {
  socket.setTimeout(muteMs);
  socket.once('timeout', () => {
    socket.setTimeout(0);
    if (sentBytes() === 0) socket.destroy();
  });
}

/**
 * The socket's own limit would not do: whatever is written begins it anew, and to a line that is dead
 * a busy pool writes for ever. Looks are counted, not time: after a pause of this whole process the
 * answers that came meanwhile are read before it is said that none came.
 */
function endIfSilent(socket: Socket, silenceMs: () => number): void {
  let answeredBytes = socket.bytesWritten;
  let silentLooks = 0;
  // Ahead of the library, which may write its next statement while it reads.
  socket.prependListener('data', () => {
    answeredBytes = socket.bytesWritten;
    silentLooks = 0;
  });
  const stop = lookEvery(lookEveryMs, () => {
    if (socket.destroyed) return stop();
    if (socket.bytesWritten > answeredBytes) silentLooks += 1;
    // The first of them may have come at once after the statement.
    const limitMs = silenceMs();
    if (limitMs > 0 && (silentLooks - 1) * lookEveryMs >= limitMs) socket.destroy();
  });
}

/**
 * Two defects of the client library (3.4.9) when a connection that stood goes away. Told of the
 * error first, it forgets statements that come before the end is told as well: so it hears of the
 * end alone, which fails them all. And when the end comes between a statement and its sending, it
 * keeps the unsent bytes and sends nothing on the next connection, not even a greeting, until 1024
 * bytes have piled up: such a connection is ended after `muteMs`, and a few of them later the
 * server refuses the pile and all is well. Else that place of the pool fails for half a minute.
 *
 * A third before it stood: told of the end alone, it dials again at once and for ever, and the
 * statement that waits never fails. So it hears of an error, which nothing was sent before.
 */
function endAtOnce(socket: Socket, sentBytes: () => number, onLost: () => void): void {
  const stood = hasStood(socket);
  const emit = socket.emit.bind(socket);
  const tell = (event: string, ...told: unknown[]): boolean => {
    if (event === 'error') return true;
    if (event !== 'close') return emit(event, ...told);
    onLost();
    const isRefused = sentBytes() > 0 && !stood();
    if (isRefused) emit('error', new NotConnected('the server hung up before it let us in'));
    return emit('close', isRefused);
  };
  socket.emit = tell;
}

/** Whether the server has let us in: nothing but its greeting comes before the first statement. */
function hasStood(socket: Socket): () => boolean {
  let end: Buffer = Buffer.alloc(0);
  let isReady = false;
  const onData = (bytes: Buffer) => {
    end = Buffer.concat([end, bytes]).subarray(-readyForQuery.length);
    isReady = end.equals(readyForQuery);
    if (isReady) socket.off('data', onData);
  };
  socket.prependListener('data', onData);
  return () => isReady;
}
