import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { startTraceServer } from '../../../infra/traces/trace-server.ts';
import { otlpBody, otlpSpan } from './spans.ts';

async function started(t: ExecutionContext) {
  const server = await startTraceServer();
  t.teardown(() => server.stop());
  const post = (body: string) =>
    fetch(`${server.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  return { server, post };
}

const trace = z.looseObject({
  processes: z.array(z.string()),
  spans: z.array(z.looseObject({ attributes: z.record(z.string(), z.string()) })),
});

test('what an exporter posts is shown as a trace, to the microsecond', async (t) => {
  const { server, post } = await started(t);
  const child = otlpSpan({
    ...{ spanId: 'c'.repeat(16), parentSpanId: 'b'.repeat(16), name: 'commit', kind: 1 },
    ...{ startTimeUnixNano: '1700000000002250500', endTimeUnixNano: '1700000000003000500' },
    attributes: [{ key: 'batch', value: { intValue: '3' } }],
    status: { code: 2 },
  });

  t.is((await post(JSON.stringify(otlpBody('edge-1', [otlpSpan()])))).status, 200);
  t.is((await post(JSON.stringify(otlpBody('coordinator-1', [child])))).status, 200);

  const list = await (await fetch(`${server.url}/traces?route=submit&outcome=failed`)).json();
  t.like(list, { total: 1 });
  const shown = await fetch(`${server.url}/traces/${'a'.repeat(32)}`);
  const whole = trace.parse(await shown.json());
  t.like(whole, {
    trace_id: 'a'.repeat(32),
    name: 'POST /v1/miner/submit',
    ...{ outcome: 'failed', status: 200, fault: null, duration_ms: 12, dropped_spans: 0 },
    started_at: '2023-11-14T22:13:20.000Z',
  });
  t.deepEqual(whole.processes, ['coordinator-1', 'edge-1']);
  t.like(whole.spans[1], {
    ...{ name: 'commit', kind: 'internal', process: 'coordinator-1', is_error: true },
    ...{ parent_span_id: 'b'.repeat(16), offset_ms: 2, duration_ms: 0.75 },
    attributes: { batch: '3' },
  });
});

test('who does not know the address gets nothing, and puts nothing in', async (t) => {
  const { server } = await started(t);
  const { origin, pathname } = new URL(server.url);
  t.regex(pathname, /^\/[0-9a-f]{32}$/);

  for (const path of ['/', '/traces', '/v1/traces', `/${'0'.repeat(32)}/traces`]) {
    t.is((await fetch(origin + path)).status, 404, path);
    t.is((await fetch(origin + path, { method: 'POST', body: '{}' })).status, 404, path);
  }
  t.is((await fetch(`${server.url}/traces/${'a'.repeat(32)}`)).status, 404);
});

test('what is no OTLP, or too much of it, is refused and leaves the server as it was', async (t) => {
  const { server, post } = await started(t);
  t.is((await post('{')).status, 400);
  t.is((await post('{"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}')).status, 400);
  // An exporter that hears this sends no such thing again; it does after a connection that broke.
  t.is((await post(' '.repeat(5 * 1024 * 1024))).status, 413);
  await t.throwsAsync(post(' '.repeat(40 * 1024 * 1024)), undefined, 'nobody reads on for ever');
  t.is((await fetch(`${server.url}/traces?limit=0`)).status, 400);

  t.like(await (await fetch(`${server.url}/traces`)).json(), { total: 0 });
});

test('a span is cut to what a person reads', async (t) => {
  const { server, post } = await started(t);
  const attributes = Array.from({ length: 100 }, (_, at) => ({
    key: `key-${at}`,
    value: { stringValue: 'x'.repeat(10_000) },
  }));
  await post(JSON.stringify(otlpBody('edge-1', [otlpSpan({ attributes })])));

  const shown = await fetch(`${server.url}/traces/${'a'.repeat(32)}`);
  const { spans } = trace.parse(await shown.json());
  t.is(Object.keys(spans[0]?.attributes ?? {}).length, 32);
  t.true(JSON.stringify(spans).length < 32 * 400);
});
