/** A span as it is kept: small, readable, and of one process. */
export interface KeptSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly process: string;
  /** Unix milliseconds with a fraction: a commit takes less than one. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  /** The traces that led to it besides its own. */
  readonly linkedTraceIds: readonly string[];
}

/** In the order of OTLP's numbers, the first of which is 1. */
export const spanKinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanKind = (typeof spanKinds)[number];
