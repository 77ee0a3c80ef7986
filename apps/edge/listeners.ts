import type { Server } from 'node:http';
import { createServer, type Server as NetServer } from 'node:net';

/**
 * Listening sockets of one edge at one port. The event loop takes one connection from each of them in a
 * turn, however many wait: a busy edge, which turns a hundred times a second, would let in a hundred
 * clients, and the kernel forget the others for seconds. See infra/decisions/0048-overload.md.
 */
export const listenersMax = 16;

/** Which kernels spread connections over the sockets of one port. */
const spreads = process.platform === 'linux';

/** @returns the port; 0 takes a free one */
export async function listenTogether(
  servers: readonly [Server, ...Server[]],
  { port, host }: { readonly port: number; readonly host: string },
): Promise<number> {
  const [first, ...others] = servers;
  if (!spreads) return await listening(first, { port, host });
  if (port !== 0) await requireFree(port, host);
  const bound = await listening(first, { port, host, reusePort: true });
  await Promise.all(others.map((each) => listening(each, { port: bound, host, reusePort: true })));
  return bound;
}

/** Sockets that share a port would share it with another edge as well, and nobody would notice. */
async function requireFree(port: number, host: string): Promise<void> {
  const alone = createServer();
  await listening(alone, { port, host });
  await new Promise<void>((resolve) => alone.close(() => resolve()));
}

async function listening(
  server: NetServer,
  options: { readonly port: number; readonly host: string; readonly reusePort?: boolean },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port was bound');
  return address.port;
}
