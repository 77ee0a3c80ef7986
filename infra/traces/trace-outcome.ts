import type { KeptSpan } from './kept-span.ts';

/** `refused` is an answer that the caller has to do something about; `failed` is ours. */
export const traceOutcomes = ['done', 'refused', 'failed'] as const;
export type TraceOutcome = (typeof traceOutcomes)[number];

/** The first of those whose parent is not there: a caller's own span, or none. */
export function rootOf(spans: readonly KeptSpan[]): KeptSpan | undefined {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const isRoot = ({ parentSpanId }: KeptSpan) =>
    parentSpanId === undefined || !known.has(parentSpanId);
  return spans
    .filter(isRoot)
    .reduce<KeptSpan | undefined>(
      (first, span) => (first === undefined || span.startMs < first.startMs ? span : first),
      undefined,
    );
}

/** By what the caller was answered; where that came from nobody's request, by whether a span failed. */
export function outcomeOf(root: KeptSpan, spans: readonly KeptSpan[]): TraceOutcome {
  const status = statusOf(root);
  if (spans.some(({ isError }) => isError) || (status ?? 0) >= 500) return 'failed';
  const isRefused =
    status === undefined ? spans.some((span) => faultOf(span) !== undefined) : status >= 400;
  return isRefused ? 'refused' : 'done';
}

/** Of HTTP, where the span is of a request. */
export function statusOf({ attributes }: KeptSpan): number | undefined {
  const status = Number(attributes['http.response.status_code'] ?? Number.NaN);
  return Number.isInteger(status) ? status : undefined;
}

export function faultOf({ attributes }: KeptSpan): string | undefined {
  return attributes['paddock.fault'];
}
