import type { IncomingMessage } from 'node:http';

const quietPaths = new Set(['/health', '/health/deep', '/metrics']);

/** Polling makes no traces. */
export const isQuiet = ({ url = '' }: IncomingMessage) => quietPaths.has(url.split('?')[0] ?? '');
