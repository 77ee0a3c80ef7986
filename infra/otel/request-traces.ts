import type { EventEmitter } from 'node:events';
import { type IncomingMessage, Server } from 'node:http';
import { type Context, context, TraceFlags, trace } from '@opentelemetry/api';
import { freshSpanId, freshTraceId } from './fresh-ids.ts';
import { extract } from './nats-carrier.ts';
import { smallRoot } from './small-context.ts';

/**
 * Gives every incoming request a trace id and no span, for a process whose spans nobody collects: the
 * full instrumentation costs a quarter of what it takes to refuse a forged request. What is sent on
 * continues that trace.
 */
export function traceRequests(isQuiet: (request: IncomingMessage) => boolean): void {
  // Where the instrumentation stands in too: no listener of the server's can come before it.
  const prototype: EventEmitter = Server.prototype;
  const { emit } = prototype;
  prototype.emit = function (this: EventEmitter, event, ...given: unknown[]) {
    const request = given[0] as IncomingMessage;
    if (!isRequest(event) || isQuiet(request)) return emit.call(this, event, ...given);
    return context.with(contextOf(request), () => emit.call(this, event, ...given));
  };
}

/** With a body that waits to be asked for, a request comes as another event. */
function isRequest(event: string | symbol): boolean {
  return event === 'request' || event === 'checkContinue';
}

function contextOf({ headers }: IncomingMessage): Context {
  const own = { traceId: freshTraceId(), spanId: freshSpanId() };
  const { traceparent, tracestate } = headers;
  const given =
    typeof traceparent === 'string'
      ? trace.getSpanContext(
          extract({ traceparent, ...(typeof tracestate === 'string' && { tracestate }) }),
        )
      : undefined;
  return trace.setSpanContext(smallRoot, {
    ...own,
    ...(given !== undefined && { traceId: given.traceId }),
    ...(given?.traceState !== undefined && { traceState: given.traceState }),
    traceFlags: TraceFlags.NONE,
  });
}
