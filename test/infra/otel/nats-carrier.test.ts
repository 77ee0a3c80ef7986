import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import test from 'ava';
import { extract, inject } from '../../../infra/otel/nats-carrier.ts';
import { startTraceIds } from '../../../infra/otel/trace-ids.ts';
import { createTelemetry } from '../../../infra/telemetry/telemetry.ts';

startTraceIds();
const telemetry = createTelemetry();

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

test('a trace survives the way through plain header records', (t) => {
  const headers = { traceparent, tracestate: 'vendor=1' };
  t.deepEqual(inject(extract(headers)), headers);
  t.is(trace.getSpanContext(extract(headers))?.traceId, 'a'.repeat(32));
});

test('other headers, and baggage, are not carried', (t) => {
  const headers = { traceparent, baggage: 'user=1', 'x-cmd-id': '7' };
  t.deepEqual(inject(extract(headers)), { traceparent });
});

test('malformed headers begin no trace', (t) => {
  for (const bad of ['', 'x', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `${traceparent}-x`]) {
    t.is(trace.getSpanContext(extract({ traceparent: bad })), undefined, bad);
  }
  t.deepEqual(inject(extract({})), {});
});

test('a span continues the trace of a message, not the one around it', async (t) => {
  await telemetry.span('outer', {}, async () => {
    const outer = telemetry.traceId();
    t.is(context.active() === ROOT_CONTEXT, false);
    await telemetry.span('inner', { parent: { traceparent } }, async () => {
      t.is(telemetry.traceId(), 'a'.repeat(32));
      t.true(telemetry.traceHeaders()['traceparent']?.startsWith(`00-${'a'.repeat(32)}-`));
    });
    t.is(telemetry.traceId(), outer);
  });
  t.is(telemetry.traceId(), undefined);
  t.deepEqual(telemetry.traceHeaders(), {});
});

test('what a span runs is answered and thrown through', async (t) => {
  t.is(await telemetry.span('works', { startedAtMs: 1 }, async () => 7), 7);
  const error = await t.throwsAsync(
    telemetry.span('fails', {}, () => Promise.reject(new Error('no'))),
  );
  t.is(error.message, 'no');
});
