import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../../infra/local/free-port.ts';
import { natsBinary } from '../../../infra/local/nats-binary.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { ensureStreams } from '../../../infra/nats/streams.ts';

const conf = readFileSync(new URL('../../../infra/compose/nats.conf', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'paddock-nats-rights-'));
const port = await freePort();

/** The compose file's own configuration as one node: no cluster, other ports, another folder. */
const alone = conf
  .replace(/^cluster \{[\s\S]*?^\}/m, '')
  .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
  .replace(/^http: .*$/m, '')
  .replace('/data', JSON.stringify(folder));
writeFileSync(join(folder, 'nats.conf'), alone);

const server = spawn(await natsBinary(), ['--config', join(folder, 'nats.conf')], {
  env: {
    NATS_SERVER_NAME: 'nats-1',
    NATS_EDGE_PASSWORD: 'n1-edge',
    NATS_COORDINATOR_PASSWORD: 'n2/coordinator',
  },
  stdio: 'ignore',
});

const connections = {
  edge: await connectNats({
    url: `nats://edge:n1-edge@127.0.0.1:${port}`,
    name: 'edge',
    inboxPrefix: '_INBOX_edge',
  }),
  coordinator: await connectNats({
    url: `nats://coordinator:n2%2Fcoordinator@127.0.0.1:${port}`,
    name: 'coordinator',
  }),
};

test.after.always(async () => {
  await Promise.all(Object.values(connections).map((connection) => connection.close()));
  server.kill('SIGKILL');
  await once(server, 'exit');
  rmSync(folder, { recursive: true });
});

test('an edge asks a coordinator and is answered', async (t) => {
  const { edge, coordinator } = connections;
  coordinator.subscribe('svc.echo', { callback: (_, message) => void message.respond('yes') });
  await coordinator.flush();
  t.is((await edge.request('svc.echo')).string(), 'yes');
});

test('an edge can listen to nobody else', async (t) => {
  for (const subject of ['cmd.>', '_INBOX.>', 'evt.>', '$SYS.>']) {
    const refusal = await new Promise<Error | null>((resolve) => {
      connections.edge.subscribe(subject, { callback: (error) => resolve(error) });
    });
    t.regex(refusal?.message ?? '', /Permissions Violation for Subscription/i, subject);
  }
});

test('an edge can write no stream, and a coordinator makes them', async (t) => {
  await ensureStreams(connections.coordinator, { replicas: 1 });
  await t.throwsAsync(connections.edge.request('evt.eval.1', '{}', { timeout: 500 }));
  await t.notThrowsAsync(connections.coordinator.request('evt.eval.1', '{}', { timeout: 2000 }));
});
