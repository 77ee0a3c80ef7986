import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startNeighbours } from '../../apps/world/embedded.ts';
import { worldSecrets } from '../../apps/world/secrets.ts';
import { startService } from '../../apps/world/start-service.ts';
import { caller, TestKey } from '../support/edge-client.ts';
import { farClose } from '../support/far-close.ts';
import { until } from '../support/until.ts';

interface SpanRecord {
  readonly traceId: string;
  readonly name: string;
  readonly process: string;
  readonly links: readonly string[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
    };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        traceId: string;
        name: string;
        links?: readonly { traceId: string }[];
      }[];
    }[];
  }[];
}

/** A collector that keeps what it is sent. */
async function startCollector() {
  const spans: SpanRecord[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody;
    for (const { resource, scopeSpans } of resourceSpans) {
      const named = resource.attributes.find(({ key }) => key === 'service.name');
      const process = named?.value.stringValue ?? '';
      for (const { traceId, name, links = [] } of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ traceId, name, process, links: links.map((link) => link.traceId) });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { spans, url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}

// One trace has to tell the whole way of a request: the edge, the message to the owner, the wait in
// its mailbox, the decision, the commit of its batch, and the fact that left afterwards.
test('one trace follows a submission from the edge to the published fact', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paddock-telemetry-'));
  const collector = await startCollector();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  stack.defer(() => collector.stop());
  const secrets = await worldSecrets(dataDir);
  const neighbours = stack.use(
    await startNeighbours({ dataDir, secrets, env: {}, onReady: () => undefined }),
  );
  const service = stack.use(
    await startService({
      edges: 1,
      coordinators: 1,
      port: 0,
      dataDir,
      neighbours,
      secrets,
      defaults: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      env: { ...process.env, METRICS_PORT: undefined, ...farClose },
      onRestart: () => undefined,
      signal: new AbortController().signal,
    }),
  );
  const call = caller(service.baseUrls[0]);
  const operator = { authorization: `Bearer ${service.operatorToken}` };
  const made = await call('POST', '/v1/admin/suites', {
    headers: operator,
    body: {
      benchmark_name: 'traced',
      benchmark_number: 1,
      execution_kind: 'legacy_benchmark',
      env_pack_sha256: null,
      problems: [{ metadata: { query: 'a pen' } }],
    },
  });
  t.is(made.status, 200, await made.clone().text());
  const { suite_id: suiteId } = (await made.json()) as { suite_id: number };
  const path = `/v1/admin/suites/${suiteId}/activate`;
  t.is((await call('POST', path, { headers: operator })).status, 200);
  const miner = new TestKey('traced miner', call);
  const registration = `/v1/admin/chain/registrations/${miner.hotkey}`;
  await call('PUT', registration, { headers: operator, body: { role: 'miner' } });

  const form = new FormData();
  form.set('agent_name', 'traced');
  form.set('file', new Blob(['def act(task):\n    return {}\n']), 'agent.py');
  const traceId = randomBytes(16).toString('hex');
  const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
  const answer = await miner.request('POST', '/v1/miner/submit', {
    body: form,
    headers: { traceparent },
  });

  t.is(answer.status, 200, await answer.clone().text());
  t.is(answer.headers.get('x-request-id'), traceId);
  const isThere = (process: string, name: RegExp) =>
    collector.spans.some(
      (span) =>
        span.process === process &&
        name.test(span.name) &&
        (span.traceId === traceId || span.links.includes(traceId)),
    );
  const way: readonly (readonly [string, RegExp])[] = [
    ['edge-1', /^POST \/v1\/miner\/submit$/],
    ['edge-1', /^cmd submit-version$/],
    ['coordinator-1', /^mailbox wait$/],
    ['coordinator-1', /^decide$/],
    ['coordinator-1', /^commit$/],
    ['coordinator-1', /^outbox publish$/],
    ['coordinator-1', /^fact fact\./],
  ];
  const missing = () => way.filter(([process, name]) => !isThere(process, name));
  await until(() => missing().length === 0).catch(() => t.deepEqual(missing(), []));
  t.deepEqual(missing(), []);
});
