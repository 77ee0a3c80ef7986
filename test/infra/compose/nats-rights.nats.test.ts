import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Msg, NatsConnection } from 'nats';
import { publicEventsSignal } from '../../../actors/services/projector/messages.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { freePort } from '../../../infra/local/free-port.ts';
import { natsBinary } from '../../../infra/local/nats-binary.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createEdgePeers } from '../../../infra/nats/edge-peers.ts';
import { createSignals } from '../../../infra/nats/signals.ts';
import { ensureStreams, prepareStreams } from '../../../infra/nats/streams.ts';
import { heardSignal, movedSignal } from '../../../infra/ports/clock-follower.ts';
import { peerAnswer } from '../../support/peer-answer.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

const compose = new URL('../../../infra/compose/', import.meta.url);
const conf = readFileSync(new URL('nats.conf', compose), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'paddock-nats-rights-'));
const port = await freePort();

/** The compose file's own configuration as one node: no cluster, other ports, another folder. */
const alone = conf
  .replace(/^cluster \{[\s\S]*?^\}/m, '')
  .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
  .replace(/^http: .*$/m, '')
  .replace('/data', JSON.stringify(folder));
writeFileSync(join(folder, 'nats.conf'), alone);
copyFileSync(new URL('nats-rights.conf', compose), join(folder, 'nats-rights.conf'));

const server = spawn(await natsBinary(), ['--config', join(folder, 'nats.conf')], {
  env: {
    NATS_SERVER_NAME: 'nats-1',
    NATS_EDGE_PASSWORD: 'n1-edge',
    NATS_COORDINATOR_PASSWORD: 'n2/coordinator',
  },
  stdio: 'ignore',
});

const edgeUrl = `nats://edge:n1-edge@127.0.0.1:${port}`;
const connections = {
  edge: await connectNats({
    url: edgeUrl,
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

/** Both an answer and a refusal come; a busy machine may take ten times as long as usual. */
const patienceMs = 60_000;

async function refusalOf(connection: NatsConnection, subject: string): Promise<string> {
  const refusal = await new Promise<Error | null>((resolve) => {
    connection.subscribe(subject, { callback: (error) => resolve(error) });
  });
  return refusal?.message ?? '';
}

test('an edge asks a coordinator and is answered', async (t) => {
  const { edge, coordinator } = connections;
  coordinator.subscribe('svc.echo', { callback: (_, message) => void message.respond('yes') });
  await coordinator.flush();
  t.is((await edge.request('svc.echo')).string(), 'yes');
});

test('edges hear each other, ask each other and are answered', async (t) => {
  const one = connections.edge;
  const other = await connectNats({ url: edgeUrl, name: 'edge-2', inboxPrefix: '_INBOX_edge' });
  t.teardown(() => other.close());
  const [here, there] = [one, other].map((connection, at) =>
    createEdgePeers({ connection, clock: systemClock, log: silentLogger, name: `edge-${at}` }),
  );
  if (here === undefined || there === undefined) return t.fail();
  there.answer((question) => `${question}?`);
  for (const peers of [here, there]) {
    await peers.start();
    t.teardown(() => peers.stop());
  }
  await until(() => here.names.length === 2 && there.names.length === 2);
  t.is(await peerAnswer(here, there.self, 'rate'), 'rate?');
});

test('an edge hears that the public feed has grown, and cannot say so', async (t) => {
  const { edge, coordinator } = connections;
  let heard = 0;
  const subscription = createSignals(edge).onSignal(publicEventsSignal, () => {
    heard += 1;
  });
  t.teardown(() => subscription.close());
  await edge.flush();
  createSignals(edge).signal(publicEventsSignal, {});
  await edge.flush();
  createSignals(coordinator).signal(publicEventsSignal, {});
  await until(() => heard > 0);
  t.is(heard, 1);
});

test('an edge says nothing into an inbox unasked', async (t) => {
  const { edge } = connections;
  const refused = (async () => {
    for await (const status of edge.status()) {
      const text = status.type === 'error' ? status.error.message : '';
      // Other tests say forbidden things over the same connection.
      if (/Violation for Publish to "_INBOX_edge\.of-another/i.test(text)) return text;
    }
    return '';
  })();
  const heard: string[] = [];
  // Another edge would hear it.
  const other = await connectNats({ url: edgeUrl, name: 'edge-3', inboxPrefix: '_INBOX_edge' });
  t.teardown(() => other.close());
  other.subscribe('_INBOX_edge.of-another', {
    callback: (_, message) => void heard.push(message.subject),
  });
  await other.flush();
  edge.publish('_INBOX_edge.of-another', 'forged');
  t.regex(await refused, /_INBOX_edge\.of-another/);
  await other.flush();
  t.deepEqual(heard, []);
});

test('an edge follows a simulated clock and reports that it did', async (t) => {
  const { edge, coordinator } = connections;
  const heard = { edge: 0, coordinator: 0 };
  const subscriptions = [
    createSignals(edge).onSignal(movedSignal, () => {
      heard.edge += 1;
    }),
    createSignals(coordinator).onSignal(heardSignal, () => {
      heard.coordinator += 1;
    }),
  ];
  for (const subscription of subscriptions) t.teardown(() => subscription.close());
  await Promise.all([edge.flush(), coordinator.flush()]);
  createSignals(coordinator).signal(movedSignal, {});
  createSignals(edge).signal(heardSignal, {});
  await until(() => heard.edge === 1 && heard.coordinator === 1);
  t.pass();
});

test('a coordinator takes nothing out of the streams and hears no edge', async (t) => {
  const { coordinator } = connections;
  await ensureStreams(coordinator, { replicas: 1 });
  for (const call of ['STREAM.DELETE.EVT', 'STREAM.PURGE.EVT', 'STREAM.SNAPSHOT.EVT']) {
    const asked = coordinator.request(`$JS.API.${call}`, '{}', { timeout: patienceMs });
    await t.throwsAsync(asked, { message: /permissions violation/i }, call);
  }
  for (const subject of ['_INBOX_edge.>', 'evt.>', '$SYS.>', '>']) {
    t.regex(await refusalOf(coordinator, subject), /Permissions Violation/i, subject);
  }
});

test('an edge can listen to nobody else', async (t) => {
  for (const subject of ['cmd.>', '_INBOX.>', 'evt.>', '$SYS.>']) {
    const refusal = await refusalOf(connections.edge, subject);
    t.regex(refusal, /Permissions Violation for Subscription/i, subject);
  }
});

test('an edge can write no stream, and a coordinator makes them', async (t) => {
  await ensureStreams(connections.coordinator, { replicas: 1 });
  const write = (connection: NatsConnection) =>
    connection.request('evt.eval.1', '{}', { timeout: patienceMs });
  await t.throwsAsync(write(connections.edge), { message: /permissions violation/i });
  await t.notThrowsAsync(write(connections.coordinator));
});

test('a coordinator whose login may make no streams does not start', async (t) => {
  const starting = prepareStreams(connections.edge, { replicas: 1 }, { warn: t.log });

  await t.throwsAsync(starting);
});

test('an edge that asks itself answers into no stream, no inbox and no signal of others', async (t) => {
  const { edge, coordinator } = connections;
  await ensureStreams(coordinator, { replicas: 1 });
  const heard: string[] = [];
  const callback = (_: Error | null, message: Msg) => void heard.push(message.subject);
  for (const subject of ['_INBOX.of-another', 'sys.public-events', 'sys.rate.answer.end']) {
    coordinator.subscribe(subject, { callback });
  }
  await coordinator.flush();
  edge.subscribe('sys.rate.myself', { callback: (_, message) => void message.respond('forged') });
  const forbidden = ['_INBOX.of-another', 'sys.public-events', 'evt.eval.9'];
  for (const reply of [...forbidden, 'sys.rate.answer.end']) {
    edge.publish('sys.rate.myself', '', { reply });
  }
  await until(() => heard.includes('sys.rate.answer.end'));
  t.deepEqual(heard, ['sys.rate.answer.end']);
  const subjects = await coordinator.request(
    '$JS.API.STREAM.INFO.EVT',
    JSON.stringify({ subjects_filter: 'evt.eval.9' }),
  );
  t.is(subjects.json<{ state: { subjects?: unknown } }>().state.subjects, undefined);
});
