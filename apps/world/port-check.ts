import { once } from 'node:events';
import { createServer } from 'node:net';
import { UsageError } from './options.ts';

/**
 * Refuses a port that cannot be had, before anything is started. Another process may still take it
 * in between; then the edge's own log says so.
 */
export async function requireFreePort(port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    server.listen(port, '0.0.0.0');
    await once(server, 'listening');
  } catch (cause) {
    throw new UsageError(`${reasonOf(port, cause)}: choose another with --port N (0: a free one)`);
  }
  server.close();
  await once(server, 'close');
}

function reasonOf(port: number, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} is already in use`;
  if (code === 'EACCES') return `this user may not listen on port ${port}`;
  return `port ${port} cannot be used (${String(code)})`;
}
