import type { CounterName, GaugeName, HistogramName } from './metrics.ts';

/** Few values each: every combination is a series of its own. Never an id. */
export type TelemetryAttributes = Readonly<Record<string, boolean | number | string>>;

/** W3C `traceparent` and `tracestate`, as NATS messages and outbox rows carry them. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface Span {
  set(attributes: TelemetryAttributes): void;
}

export interface SpanOptions {
  readonly kind?: 'client' | 'consumer' | 'internal' | 'producer' | 'server';
  readonly attributes?: TelemetryAttributes;
  /** What this span continues; without it, the span that is active here. */
  readonly parent?: TraceHeaders;
  /** What else led to it: the commands of a batch, the cause of a redelivered message. */
  readonly links?: readonly TraceHeaders[];
  /** Unix milliseconds, for a wait that is reported when it is over. */
  readonly startedAtMs?: number;
}

/** Traces and numbers. Nothing here throws, and nothing decides by it. */
export interface Telemetry {
  /** Runs inside a span; a thrown error is recorded on it and passed on. */
  span<T>(name: string, options: SpanOptions, run: (span: Span) => Promise<T>): Promise<T>;
  /**
   * Runs as a part of the trace that `headers` name, with no span of its own, so that what is logged
   * and sent within names that trace; of none where they name none, whatever is active here.
   */
  inTrace<T>(headers: TraceHeaders, run: () => T): T;
  /** To send along with a message; empty outside of a trace. */
  traceHeaders(): Record<string, string>;
  /** 32 hex digits; undefined outside of a trace. */
  traceId(): string | undefined;
  /** Of the request whose trace is active here: its span is called by it. */
  readonly nameRoute: (route: string) => void;
  count(name: CounterName, by?: number, attributes?: TelemetryAttributes): void;
  record(name: HistogramName, value: number, attributes?: TelemetryAttributes): void;
  /**
   * `read` is called whenever somebody looks, until the returned function is called. What it does not know
   * is shown as no number, which no alarm takes for zero.
   */
  gauge(
    name: GaugeName,
    read: () => number | undefined,
    attributes?: TelemetryAttributes,
  ): () => void;
}
