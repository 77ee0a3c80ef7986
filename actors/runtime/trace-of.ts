import type { TraceHeaders } from '../../infra/ports/telemetry.ts';

/** The W3C trace context among a message's headers. */
export function traceOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { traceparent, tracestate } = headers;
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}

/**
 * Whose trace work for several is a part of, where it can be of one only: the first that somebody
 * collects, else the first. The others are linked.
 */
export function leadingTrace(traces: readonly TraceHeaders[]): TraceHeaders {
  const isCollected = ({ traceparent = '' }: TraceHeaders) =>
    /-[0-9a-f][13579bdf]$/.test(traceparent);
  return traces.find(isCollected) ?? traces[0] ?? {};
}
