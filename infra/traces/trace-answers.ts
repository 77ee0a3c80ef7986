import type { KeptSpan } from './kept-span.ts';
import { faultOf, statusOf } from './trace-outcome.ts';
import type { KeptTrace } from './trace-store.ts';

/** In the spelling of the edge's own answers, which pass them on. */
export function traceSummary(trace: KeptTrace) {
  const { root, outcome, spans, linked, traceId } = trace;
  const all = [...spans, ...linked];
  return {
    trace_id: traceId,
    name: root.name,
    outcome,
    status: statusOf(root) ?? null,
    fault: spans.map(faultOf).find((fault) => fault !== undefined) ?? null,
    started_at: new Date(Math.floor(root.startMs)).toISOString(),
    duration_ms: length(root),
    span_count: all.length,
    processes: [...new Set(all.map(({ process }) => process))].sort(),
  };
}

/** The spans in the order in which they began, each with its distance from the first of them. */
export function wholeTrace(trace: KeptTrace) {
  // Of two that began at once the longer first: the other is a part of it.
  const all = [...trace.spans, ...trace.linked].sort(
    (a, b) => a.startMs - b.startMs || b.endMs - a.endMs,
  );
  const beganMs = all[0]?.startMs ?? 0;
  return {
    ...traceSummary(trace),
    dropped_spans: trace.droppedSpans,
    spans: all.map((span) => ({
      span_id: span.spanId,
      parent_span_id: span.parentSpanId ?? null,
      trace_id: span.traceId,
      name: span.name,
      kind: span.kind,
      process: span.process,
      offset_ms: rounded(span.startMs - beganMs),
      duration_ms: length(span),
      is_error: span.isError,
      attributes: span.attributes,
    })),
  };
}

function length({ startMs, endMs }: KeptSpan): number {
  return rounded(Math.max(0, endMs - startMs));
}

/** To the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
