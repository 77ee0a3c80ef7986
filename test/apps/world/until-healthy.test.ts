import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { NotReady, untilHealthy } from '../../../apps/world/until-healthy.ts';

const ok = { status: 'ok', duration_ms: 1, attempts: 1 };
const failed = (reason: string) => ({ ...ok, status: 'failed', reason });

/** An edge whose probes are as `probes` says at each look; ready where none failed. */
async function edge(t: ExecutionContext, probes: () => Record<string, { status: string }>) {
  const server = createServer((_request, response) => {
    const body = { probes: probes() };
    const isReady = Object.values(body.probes).every(({ status }) => status === 'ok');
    response.writeHead(isReady ? 200 : 503).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const wait = { withinMs: 300, logs: '/data/logs', signal: new AbortController().signal };

test('a start that comes to nothing says in one sentence which probes failed, and why', async (t) => {
  const history = failed('the database went back in time');
  const url = await edge(t, () => ({ postgres: ok, history, broker: failed('no broker') }));

  const error = await t.throwsAsync(untilHealthy(url, wait), { instanceOf: NotReady });

  const said = 'history: the database went back in time; broker: no broker';
  t.is(error?.message, `the service at ${url} was not ready after 0.3 s (${said}); see /data/logs`);
});

test('a database that went back is told once, and waited for until that is accepted', async (t) => {
  const startedMs = performance.now();
  const isAccepted = () => performance.now() - startedMs > 3 * wait.withinMs;
  const lost = failed('the database went back in time');
  const url = await edge(t, () => ({ history: isAccepted() ? ok : lost }));
  let told = 0;

  const onHistoryLost = () => {
    told += 1;
  };
  await untilHealthy(url, { ...wait, onHistoryLost });

  t.is(told, 1);
  t.true(isAccepted());
});

test('an edge that answers nothing is said to', async (t) => {
  const url = 'http://127.0.0.1:1';
  await t.throwsAsync(untilHealthy(url, wait), { message: /after 0\.3 s \(it answers nothing\);/ });
});
