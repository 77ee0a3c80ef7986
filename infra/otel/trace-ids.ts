import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { freshSpanId, freshTraceId } from './fresh-ids.ts';
import { isQuiet } from './quiet-requests.ts';
import { traceRequests } from './request-traces.ts';
import { smallRoot } from './small-context.ts';

/**
 * All that is left of tracing where nobody collects it: every request and every span has its ids, which
 * are passed on. The SDK for the same takes a quarter of a second of processor time to load, and 25 MB.
 */
export function startTraceIds(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider({ getTracer: () => idsOnly });
  traceRequests(isQuiet);
}

const idsOnly: Tracer = {
  startSpan: (_name, options, on = context.active()) => spanIn(on, options),
  startActiveSpan<F extends (span: Span) => unknown>(
    _name: string,
    ...given: [...([SpanOptions] | [SpanOptions, Context] | []), F]
  ): ReturnType<F> {
    const run = given.at(-1) as F;
    const [options, on] = given.slice(0, -1) as [SpanOptions?, Context?];
    const around = on ?? context.active();
    const span = spanIn(around, options);
    const base = around === ROOT_CONTEXT ? smallRoot : around;
    return context.with(trace.setSpan(base, span), () => run(span)) as ReturnType<F>;
  },
};

function spanIn(around: Context, options: SpanOptions | undefined): Span {
  const parent = options?.root === true ? undefined : trace.getSpanContext(around);
  return trace.wrapSpanContext({
    traceId: parent?.traceId ?? freshTraceId(),
    spanId: freshSpanId(),
    traceFlags: TraceFlags.NONE,
    ...(parent?.traceState !== undefined && { traceState: parent.traceState }),
  });
}
