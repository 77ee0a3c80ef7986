import { connect, type Socket } from 'node:net';

/** What the client library hands to a socket factory; arrays, because a URL may name several hosts. */
export interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
}

export interface SocketWatch {
  /** Zero for no limit. */
  readonly silenceMs: number;
  /** A connection that stood is gone. */
  readonly onLost: () => void;
}

/** The library greets the server within one turn of the event loop. */
const muteMs = 20;

/**
 * A connection that gives up on a silent server. Without it a statement whose packets vanish waits
 * until the kernel stops retrying, a quarter of an hour later, and its partition with it. Destroying
 * the socket fails the statement, which then counts as in doubt. Idle connections stay.
 */
export function watchedSocket(target: SocketTarget, { silenceMs, onLost }: SocketWatch): Socket {
  const socket = connect(target.port[0] ?? 5432, target.host[0] ?? 'localhost');
  let answeredBytes = 0;
  socket.on('data', () => {
    answeredBytes = socket.bytesWritten;
  });
  let limitMs = muteMs;
  socket.once('connect', () => {
    endAtOnce(socket, onLost);
    socket.setTimeout(limitMs);
  });
  socket.on('timeout', () => {
    const isMute = socket.bytesWritten === 0;
    if (isMute || (limitMs === silenceMs && socket.bytesWritten > answeredBytes)) socket.destroy();
    limitMs = silenceMs;
    socket.setTimeout(limitMs);
  });
  return socket;
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
