import type { Trace } from '../../../../cli/client/schemas.generated.ts';

export type TraceSpan = Trace['spans'][number];

export interface WaterfallRow {
  readonly span: TraceSpan;
  /** 0 where nothing that is shown led to it. */
  readonly depth: number;
}

/**
 * Each span once, below the one that it is a part of; those of one parent in the order of their start.
 * What a caller sent us may be its own ancestor: that comes last, from the first of its circle on.
 */
export function waterfallRows(spans: readonly TraceSpan[]): WaterfallRow[] {
  const known = new Set(spans.map((span) => span.span_id));
  const parentOf = ({ parent_span_id: id }: TraceSpan) =>
    id !== null && known.has(id) ? id : undefined;
  const byParent = Map.groupBy(spans, parentOf);
  const shown = new Set<string>();
  const from = (span: TraceSpan, depth: number): WaterfallRow[] => {
    if (shown.has(span.span_id)) return [];
    shown.add(span.span_id);
    const parts = byParent.get(span.span_id) ?? [];
    return [{ span, depth }, ...parts.flatMap((part) => from(part, depth + 1))];
  };
  const roots = byParent.get(undefined) ?? [];
  return [...roots, ...spans].flatMap((span) => from(span, 0));
}

/** From the first start to the last end. */
export function lengthOf(spans: readonly TraceSpan[]): number {
  return Math.max(0, ...spans.map((span) => span.offset_ms + span.duration_ms));
}

export function durationText(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(2)} ms`;
}
