import { once } from 'node:events';
import type { Server } from 'node:http';

/** The address of servers that nobody but this machine may ask. */
export const loopback = '127.0.0.1';

/** Answers where it listens: at a free port unless told. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, loopback);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening on no port');
  return address.port;
}

/** Cuts off whoever is connected. May be called twice. */
export async function closeAtOnce(server: Server): Promise<void> {
  const closed = server.listening ? once(server, 'close') : undefined;
  server.close();
  server.closeAllConnections();
  await closed;
}
