import { connect, type Socket } from 'node:net';

/** What the client library hands to a socket factory; arrays, because a URL may name several hosts. */
export interface SocketTarget {
  readonly host: readonly string[];
  readonly port: readonly number[];
}

/**
 * A connection that gives up on a silent server. Without it a statement whose packets vanish waits
 * until the kernel stops retrying, a quarter of an hour later, and its partition with it. Destroying
 * the socket fails the statement, which then counts as in doubt. Idle connections stay.
 */
export function watchedSocket(target: SocketTarget, silenceMs: number): Socket {
  const socket = connect(target.port[0] ?? 5432, target.host[0] ?? 'localhost');
  let answeredBytes = 0;
  socket.on('data', () => {
    answeredBytes = socket.bytesWritten;
  });
  socket.setTimeout(silenceMs, () => {
    if (socket.bytesWritten > answeredBytes) socket.destroy();
  });
  return socket;
}
