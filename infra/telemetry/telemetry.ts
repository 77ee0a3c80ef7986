import {
  type Attributes,
  type Context,
  context,
  type Link,
  metrics,
  type Span as OtelSpan,
  type SpanOptions as OtelSpanOptions,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { getRPCMetadata, RPCType } from '@opentelemetry/core';
import { Fault } from '../../machines/fault.ts';
import { extract, inject } from '../otel/nats-carrier.ts';
import { gauges } from '../ports/metrics.ts';
import type {
  Span,
  SpanOptions,
  Telemetry,
  TelemetryAttributes,
  TraceHeaders,
} from '../ports/telemetry.ts';
import { tallies } from './tallies.ts';

const scope = 'paddock';

const kinds = {
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  server: SpanKind.SERVER,
} as const;

/**
 * Telemetry over OpenTelemetry. Needs infra/otel/register.ts to have run before: the API hands out
 * instruments that stay silent when they are made before the SDK has started.
 */
export function createTelemetry(): Telemetry {
  const tracer = trace.getTracer(scope);
  const meter = metrics.getMeter(scope);
  const observing = mapped(gauges, (name, { unit, description }) =>
    meter.createObservableGauge(name, { unit, description }),
  );

  return {
    span(name, options, run) {
      const parent = options.parent === undefined ? context.active() : extract(options.parent);
      if (isUnheard(parent)) {
        return options.parent === undefined
          ? run(unseen)
          : context.with(parent, run, undefined, unseen);
      }
      return tracer.startActiveSpan(name, spanOptions(options, parent), parent, async (span) => {
        try {
          return await run({ set: (attributes) => void span.setAttributes(attributes) });
        } catch (error) {
          noteFailure(span, error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    inTrace: (headers, run) => context.with(extract(headers), run),
    traceHeaders: () => inject(context.active()),
    traceId: activeTraceId,
    nameRoute(route) {
      const about = getRPCMetadata(context.active());
      if (about?.type === RPCType.HTTP) about.route = route;
    },
    count: (name, by, attributes) => tallies.count(name, by, attributes),
    record: (name, value, attributes) => tallies.record(name, value, attributes),
    gauge(name, read, attributes) {
      const gauge = observing[name];
      const observe: Parameters<typeof gauge.addCallback>[0] = (result) =>
        // OpenTelemetry would go on showing the last value of what is not observed.
        result.observe(read() ?? Number.NaN, otel(attributes));
      gauge.addCallback(observe);
      return () => gauge.removeCallback(observe);
    },
  };
}

const unseen: Span = { set: () => undefined };

/**
 * A trace that was not sampled where it began is sampled nowhere (W3C). What is sent on within it
 * continues it under the span that is there: one that nobody sees costs ten microseconds to make.
 */
function isUnheard(parent: Context): boolean {
  const around = trace.getSpanContext(parent);
  return around !== undefined && !isSampled(around);
}

function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** Also what a log line names, wherever it is written. */
export function activeTraceId(): string | undefined {
  return trace.getSpanContext(context.active())?.traceId;
}

/** A refusal is an answer; only defects and outages make a span an error. */
function noteFailure(span: OtelSpan, error: unknown): void {
  if (error instanceof Fault) {
    span.setAttribute('paddock.fault', error.code);
    return;
  }
  span.recordException(error instanceof Error ? error : String(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function spanOptions(options: SpanOptions, parent: Context): OtelSpanOptions {
  const { kind = 'internal', attributes, links = [], startedAtMs } = options;
  return {
    kind: kinds[kind],
    links: linksOf(links.flatMap(linkTo), parent),
    ...(attributes !== undefined && { attributes: otel(attributes) }),
    ...(startedAtMs !== undefined && { startTime: startedAtMs }),
  };
}

/**
 * A link to what nobody recorded leads nowhere. Only where nothing else says whether this is recorded
 * do such links stay: by them the sampler knows that it is not.
 */
function linksOf(known: readonly Link[], parent: Context): Link[] {
  const recorded = known.filter((link) => isSampled(link.context));
  const isRoot = trace.getSpanContext(parent) === undefined;
  return isRoot && recorded.length === 0 ? [...known] : recorded;
}

function linkTo(headers: TraceHeaders): Link[] {
  const spanContext = trace.getSpanContext(extract(headers));
  return spanContext === undefined ? [] : [{ context: spanContext }];
}

function otel(attributes: TelemetryAttributes = {}): Attributes {
  return { ...attributes };
}

function mapped<T extends Record<string, unknown>, R>(
  table: T,
  make: (name: keyof T & string, about: T[keyof T & string]) => R,
): Record<keyof T, R> {
  const names = Object.keys(table) as (keyof T & string)[];
  // Sound because every key of the table gets an entry.
  return Object.fromEntries(names.map((name) => [name, make(name, table[name])])) as Record<
    keyof T,
    R
  >;
}
