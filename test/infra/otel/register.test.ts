import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { freePort } from '../../../infra/local/free-port.ts';
import { systemEnv } from '../../support/system-env.ts';
import { until } from '../../support/until.ts';

const register = new URL('../../../infra/otel/register.ts', import.meta.url).href;
const program = fileURLToPath(new URL('traced-server.ts', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  /** On standard error. */
  readonly said: () => string;
}

async function start(t: ExecutionContext, env: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, ['--import', register, program], {
    env: { ...systemEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const said = () => text;
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, said, port: z.object({ port: z.number() }).parse(JSON.parse(line)).port };
  }
  throw new Error(`the program ended before it listened: ${text}`);
}

async function stop({ child }: Running): Promise<unknown> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  return (await exited)[0];
}

async function listening(t: ExecutionContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

const reply = z.object({
  traceId: z.string().nullable(),
  headers: z.record(z.string(), z.string()).default({}),
});

async function get(port: number, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return reply.parse(await response.json());
}

const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.looseObject({ key: z.string() })) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              kind: z.number(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).optional(),
              status: z.object({ code: z.number() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A collector that keeps what it is sent. */
function collector() {
  const received: z.infer<typeof exported>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(exported.parse(JSON.parse(Buffer.concat(chunks).toString())));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  return { server, received };
}

test('a request is one trace from the socket to the commit, and stopping sends it', async (t) => {
  const { server, received } = collector();
  const running = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await listening(t, server)}`,
    PROCESS_NAME: 'edge-1',
  });
  const traceId = 'a'.repeat(32);
  const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`;
  const answer = await get(running.port, '/v1/things/4', { traceparent });
  t.is(answer.traceId, traceId);
  t.is(await stop(running), 0);

  const spans = received
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const named = new Map(spans.map((span) => [span.name, span]));
  const request = named.get('GET /v1/things/:id');
  t.is(request?.parentSpanId, 'b'.repeat(16));
  const commit = named.get('commit');
  t.is(commit?.parentSpanId, request?.spanId);
  t.deepEqual(commit?.links, [{ traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }]);
  t.is(answer.headers['traceparent'], `00-${traceId}-${commit?.spanId}-01`);
  t.is(named.get('broken')?.traceId, 'c'.repeat(32), 'a given parent wins');
  t.is(named.get('broken')?.status.code, 2, 'an outage is an error');
  t.is(named.get('refused')?.status.code, 0, 'a refusal is an answer');
  t.deepEqual(
    received[0]?.resourceSpans[0]?.resource.attributes.filter(({ key }) => key === 'service.name'),
    [{ key: 'service.name', value: { stringValue: 'edge-1' } }],
  );
});

test('without a collector every request still has a trace id of its own', async (t) => {
  const running = await start(t, {});
  const first = await get(running.port, '/v1/things/1');
  const second = await get(running.port, '/v1/things/1');
  t.regex(first.traceId ?? '', /^[0-9a-f]{32}$/);
  t.not(first.traceId, second.traceId);
  t.true(
    first.headers['traceparent']?.startsWith(`00-${first.traceId}-`),
    'what it asks continues it',
  );
  const traceId = 'a'.repeat(32);
  const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`;
  t.is((await get(running.port, '/v1/things/1', { traceparent })).traceId, traceId);
  t.regex(
    (await get(running.port, '/v1/things/1', { traceparent: '00-7' })).traceId ?? '',
    /^[0-9a-f]{32}$/,
  );
  t.is((await get(running.port, '/health')).traceId, null, 'polling makes no traces');
  t.is(await stop(running), 0);
});

test('a collector that is down does not keep a stopping process', async (t) => {
  const running = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  });
  await get(running.port, '/v1/things/1');
  const before = performance.now();
  t.is(await stop(running), 0);
  // Less than what a draining process may take.
  t.true(performance.now() - before < 9_000);
});

test('a collector that takes nothing is told of in one line, and once it does in another', async (t) => {
  let status = 404;
  const paths = new Set<string | undefined>();
  const server = createServer((request, response) => {
    paths.add(request.url);
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const at = `http://127.0.0.1:${await listening(t, server)}`;
  const running = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${at}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    PROCESS_NAME: 'edge-1',
  });
  const told = (lines: number) =>
    until(async () => {
      await get(running.port, '/v1/things/1');
      return running.said().split('\n').length > lines;
    });
  await told(1);
  for (let more = 0; more < 5; more += 1) {
    await get(running.port, '/v1/things/1');
    await once(server, 'request');
  }
  status = 200;
  await told(2);
  t.is(await stop(running), 0);

  t.deepEqual([...paths], ['/v1/traces/v1/traces']);
  const lines = running.said().trim().split('\n');
  t.is(lines.length, 2, running.said());
  const [lost, found] = lines.map((line): unknown => JSON.parse(line));
  const [process, url] = ['edge-1', `${at}/v1/traces/v1/traces`];
  t.like(lost, { level: 'warn', process, url, code: 404 });
  t.like(found, { level: 'info', process, url, message: 'the collector takes traces again' });
});

test('blanks around a value are none of it', async (t) => {
  const { server, received } = collector();
  const port = await freePort();
  const running = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: ` http://127.0.0.1:${await listening(t, server)} `,
    ...{ METRICS_PORT: ` ${port}`, METRICS_HOST: ' 127.0.0.1 ', TRACES_PER_SECOND: ' ' },
  });
  await get(running.port, '/v1/things/1');
  t.true((await fetch(`http://127.0.0.1:${port}/metrics`)).ok);
  t.is(await stop(running), 0);
  t.true(received.length > 0);
});

test('metrics are shown on loopback under their own names', async (t) => {
  const port = await freePort();
  const running = await start(t, { METRICS_PORT: String(port) });
  const scrape = async () => await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  t.regex(await scrape(), /^paddock_edge_clock_ahead 3$/m);
  await get(running.port, '/v1/things/1');
  const shown = await scrape();
  t.regex(shown, /^paddock_heartbeats_total 2$/m);
  t.regex(shown, /^paddock_lease_expiries_total\{reason="LEASE_EXPIRED"\} 0$/m);
  t.regex(shown, /^paddock_edge_shed_total\{lane="read"\} 0$/m);
  t.regex(shown, /^paddock_mailbox_depth 7$/m);
  t.regex(shown, /^paddock_edge_clock_ahead NaN$/m, 'what is not known any more');
  t.regex(shown, /^paddock_commit_duration_bucket\{le="5"\} 1$/m);
  t.is(await stop(running), 0);
});

test('a process whose port for metrics is taken does not start, and says why as its last line', async (t) => {
  const port = await listening(t, createServer());
  const child = spawn(process.execPath, ['--import', register, program], {
    env: { ...systemEnv(), METRICS_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const [said, [code]] = await Promise.all([readText(child.stderr), once(child, 'exit')]);
  t.is(code, 1);
  const [last, ...before] = said.trim().split('\n').toReversed();
  t.regex(
    last ?? '',
    /could not start: METRICS_PORT \d+ cannot be used on 127\.0\.0\.1: .*EADDRINUSE/,
  );
  t.deepEqual(before, [], 'no stack');
});

/** By which others reach this machine, where it has any; and, on Linux, one that only it reaches. */
function addressesBesideOurs(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  // One of the link alone cannot be asked without saying by which card.
  const outer = all.filter(({ internal, scopeid }) => !internal && !scopeid);
  const hosts = outer.map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  return ['127.0.0.2', ...hosts];
}

test('metrics are shown at no other address, unless somebody says so', async (t) => {
  const port = await freePort();
  const running = await start(t, { METRICS_PORT: String(port) });
  for (const host of addressesBesideOurs()) {
    const asked = fetch(`http://${host}:${port}/metrics`, { signal: AbortSignal.timeout(10_000) });
    await t.throwsAsync(asked, undefined, host);
  }
  t.true((await fetch(`http://127.0.0.1:${port}/metrics`)).ok);
  t.is(await stop(running), 0);
});

test('when a process started is shown from its first moment, and is another after each start', async (t) => {
  const port = await freePort();
  const startedOf = async () => {
    const running = await start(t, { METRICS_PORT: String(port) });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await stop(running);
    const [, seconds = ''] = /^paddock_process_started (\S+)$/m.exec(text) ?? [];
    return Number(seconds);
  };
  const since = Date.now() / 1000;
  const first = await startedOf();
  const second = await startedOf();
  t.true(since <= first && first < second && second <= Date.now() / 1000);
});

test('metrics are shown where they are told to be, and nowhere else', async (t) => {
  const port = await freePort();
  const running = await start(t, { METRICS_PORT: String(port), METRICS_HOST: '127.0.0.2' });
  const shown = await (await fetch(`http://127.0.0.2:${port}/metrics`)).text();
  t.regex(shown, /^target_info/m);
  await t.throwsAsync(fetch(`http://127.0.0.1:${port}/metrics`));
  t.is(await stop(running), 0);
});

test('a metrics port that is taken ends the process', async (t) => {
  const port = await listening(t, createServer());
  const child = spawn(process.execPath, ['--import', register, program], {
    env: { ...systemEnv(), METRICS_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  t.not(code, 0);
  t.regex(said, new RegExp(`METRICS_PORT ${port} cannot be used`));
});
