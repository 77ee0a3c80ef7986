import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import test from 'ava';
import { createFactConsumer } from '../../../actors/runtime/fact-consumer.ts';
import { SparingSampler } from '../../../infra/otel/sparing-sampler.ts';
import type { Delivery, Verdict } from '../../../infra/ports/bus.ts';
import { createTelemetry } from '../../../infra/telemetry/telemetry.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new TracerProvider({
    sampler: new SparingSampler({ tracesPerSecond: 100, monotonicMs: () => 0 }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  }),
);

/** What a consumer exports of facts that come while it works on one that nobody records. */
async function exported(flags: readonly string[]) {
  exporter.reset();
  const open = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let take: (delivery: Delivery) => Promise<Verdict> = async () => 'later';
  const consumer = createFactConsumer({
    ...{ name: 'projector', log: silentLogger, telemetry: createTelemetry() },
    store: { isOutage: () => false, park: async () => undefined },
    messages: {
      publish: async () => undefined,
      consume: (_of, handler) => {
        take = handler;
        return { close: async () => undefined };
      },
    },
    handle: () => {
      begun.resolve();
      return open.promise;
    },
  });
  await consumer.start();
  const deliver = (digit: number, flag: string) =>
    take({
      ...{
        subject: 'fact.eval.x',
        msgId: `m${digit}`,
        kind: 'eval',
        part: 1,
        deliveries: 1,
        body: {},
      },
      headers: { traceparent: `00-${String(digit).repeat(32)}-${'b'.repeat(16)}-${flag}` },
    });
  const first = deliver(9, '00');
  await begun.promise;
  const others = flags.map((flag, index) => deliver(index + 1, flag));
  open.resolve();
  await Promise.all([first, ...others]);
  return exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    trace: span.spanContext().traceId[0],
    links: span.links.map((link) => link.context.traceId[0]),
  }));
}

test('facts that come together are seen in each recorded trace of theirs, whichever is first', async (t) => {
  const name = 'facts of projector';
  t.deepEqual(await exported(['01', '00']), [{ name, trace: '1', links: [] }]);
  t.deepEqual(await exported(['00', '01', '01']), [{ name, trace: '2', links: ['3'] }]);
  t.deepEqual(await exported(['00', '00']), []);
});
