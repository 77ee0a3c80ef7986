import { type Context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { TraceHeaders } from '../ports/telemetry.ts';

const carriedNames = ['traceparent', 'tracestate'];

/**
 * The trace of `context` as plain header records: NATS headers and the outbox's `headers` column hold
 * the same, so that a redelivery an hour later still names its cause. Baggage stays behind: a client
 * could fill it with anything.
 */
export function inject(context: Context): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  return onlyCarried(carrier);
}

/** Ignores headers that are malformed or not of a trace: then the context is the root's. */
export function extract(headers: TraceHeaders): Context {
  return propagation.extract(ROOT_CONTEXT, onlyCarried(headers));
}

function onlyCarried(headers: TraceHeaders): Record<string, string> {
  return Object.fromEntries(
    carriedNames.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
