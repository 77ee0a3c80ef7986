/** The W3C trace context among a message's headers. */
export function traceOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { traceparent, tracestate } = headers;
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}
