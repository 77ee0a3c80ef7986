import { connect, type Socket } from 'node:net';
import { lookEvery } from '../clock/backstop.ts';

/** What the client library hands to a socket factory; arrays, because a URL may name several hosts. */
export interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
}

export interface SocketWatch {
  /** Asked at each look: a transaction may be given longer. Zero for no limit. */
  readonly silenceMs: () => number;
  /** A connection that stood is gone. */
  readonly onLost: () => void;
}

/** The library greets the server within one turn of the event loop. */
const muteMs = 20;
const lookEveryMs = 250;

/**
 * A connection that gives up on a silent server. Without it a statement whose packets vanish waits
 * until the kernel stops retrying, a quarter of an hour later, and its partition with it. Destroying
 * the socket fails the statement, which then counts as in doubt. Idle connections stay.
 */
export function watchedSocket(target: SocketTarget, { silenceMs, onLost }: SocketWatch): Socket {
  const socket = connect(target.port[0] ?? 5432, target.host[0] ?? 'localhost');
  socket.once('connect', () => {
    endAtOnce(socket, onLost);
    endIfMute(socket);
    endIfSilent(socket, silenceMs);
  });
  return socket;
}

/** See `endAtOnce` for where such a connection comes from. */
function endIfMute(socket: Socket): void {
  socket.setTimeout(muteMs);
  socket.once('timeout', () => {
    socket.setTimeout(0);
    if (socket.bytesWritten === 0) socket.destroy();
  });
}

/**
 * The socket's own limit would not do: whatever is written begins it anew, and to a line that is dead
 * a busy pool writes for ever. Looks are counted, not time: after a pause of this whole process the
 * answers that came meanwhile are read before it is said that none came.
 */
function endIfSilent(socket: Socket, silenceMs: () => number): void {
  let answeredBytes = 0;
  let silentLooks = 0;
  const onData = () => {
    answeredBytes = socket.bytesWritten;
    silentLooks = 0;
  };
  // Ahead of the library, which may write its next statement while it reads.
  socket.prependListener('data', onData);
  const stop = lookEvery(lookEveryMs, () => {
    // The library takes all listeners off a socket that it goes on to encrypt.
    if (socket.destroyed || !socket.listeners('data').includes(onData)) return stop();
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
 */
function endAtOnce(socket: Socket, onLost: () => void): void {
  const emit = socket.emit.bind(socket);
  const tell = (event: string, ...told: unknown[]): boolean => {
    if (event === 'error') return true;
    if (event !== 'close') return emit(event, ...told);
    onLost();
    return emit('close', false);
  };
  socket.emit = tell;
}
