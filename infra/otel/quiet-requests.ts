import type { IncomingMessage } from 'node:http';

const quietPaths = new Set(['/health', '/health/deep', '/metrics']);

/** Polling makes no traces. */
/** Of half of all requests a part is as good as all of them. */
export const isHeartbeat = (path: string) => path.endsWith('/heartbeat');

export const isQuiet = ({ url = '' }: IncomingMessage) => quietPaths.has(url.split('?')[0] ?? '');
