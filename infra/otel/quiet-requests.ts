import type { IncomingMessage } from 'node:http';

const quietPaths = new Set(['/health', '/health/deep', '/metrics']);

/** Of half of all requests a part is as good as all of them. */
export const isHeartbeat = (path: string) => path.endsWith('/heartbeat');

/** Polling makes no traces. */
export const isQuiet = ({ url = '' }: IncomingMessage) =>
  quietPaths.has(url) || (url.includes('?') && quietPaths.has(url.split('?')[0] ?? ''));
