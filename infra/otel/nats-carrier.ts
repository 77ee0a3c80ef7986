import { type Context, propagation } from '@opentelemetry/api';
import type { TraceHeaders } from '../ports/telemetry.ts';
import { smallRoot } from './small-context.ts';

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
  return propagation.extract(smallRoot, onlyCarried(headers));
}

function onlyCarried({ traceparent, tracestate }: TraceHeaders): Record<string, string> {
  const carried: Record<string, string> = {};
  if (traceparent !== undefined) carried['traceparent'] = traceparent;
  if (tracestate !== undefined) carried['tracestate'] = tracestate;
  return carried;
}
