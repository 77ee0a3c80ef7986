import type { IncomingMessage } from 'node:http';

const traceparent = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace id of a valid W3C `traceparent`, so that a caller finds its own request again. */
export function incomingTraceId(request: IncomingMessage): string | undefined {
  const header = request.headers['traceparent'];
  const id = typeof header === 'string' ? traceparent.exec(header)?.[1] : undefined;
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}
