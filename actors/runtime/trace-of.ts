import type { TraceHeaders } from '../../infra/ports/telemetry.ts';

/** The W3C trace context among a message's headers. */
export function traceOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { traceparent, tracestate } = headers;
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}

/** What led to work for several: the trace that it is a part of, and links to the others. */
export function causesOf(traces: readonly TraceHeaders[]) {
  const parent = leadingTrace(traces);
  return { parent, links: traces.filter((trace) => trace !== parent) };
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
