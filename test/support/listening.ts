import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A server of its own on loopback, which cuts whoever is still connected when the test ends. */
export async function listening(
  t: ExecutionContext,
  answer?: RequestListener,
): Promise<{ readonly server: Server; readonly port: number; readonly origin: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, origin: `http://127.0.0.1:${port}` };
}
