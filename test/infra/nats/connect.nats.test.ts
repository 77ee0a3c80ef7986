import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { connect, type NatsConnection } from 'nats';
import { freePort } from '../../../infra/local/free-port.ts';
import { startNats } from '../../../infra/local/nats.ts';
import {
  closeNats,
  connectNats,
  leaveWhenStale,
  untilGivenUp,
} from '../../../infra/nats/connect.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

/** One broker that is started again and again, each time with the passwords it is told. */
async function changingBroker(t: ExecutionContext, place?: number) {
  const storeDir = await temporaryFolder();
  const port = place ?? (await freePort());
  const { PADDOCK_TEST_NATS_BIN: serverBin } = process.env;
  const found = serverBin === undefined ? {} : { serverBin };
  const start = (edge: string) =>
    startNats({ storeDir, port, ...found, fsync: false, passwords: { edge, coordinator: 'none' } });
  let running = await start('first');
  t.teardown(async () => {
    await running.stop();
    await rm(storeDir, { recursive: true, force: true });
  });
  return {
    port,
    url: running.urls.edge,
    async change(password: string) {
      await running.stop();
      running = await start(password);
    },
  };
}

/** How often a login was refused. */
function refusalsOf(connection: NatsConnection): () => number {
  let count = 0;
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && /authorization/i.test(status.error.message)) count += 1;
    }
  })();
  return () => count;
}

test('a broker that refuses the login for a while is come back to', async (t) => {
  const broker = await changingBroker(t);
  const connection = await connectNats({
    url: broker.url,
    name: 'test',
    inboxPrefix: '_INBOX_edge',
  });
  t.teardown(() => closeNats(connection));
  const refusals = refusalsOf(connection);

  await broker.change('second');
  await until(() => refusals() > 3 || connection.isClosed());
  t.false(connection.isClosed());
  await broker.change('first');

  const isBack = () =>
    connection.flush().then(
      () => true,
      () => false,
    );
  await t.notThrowsAsync(until(isBack));
});

test('whoever waits for his first broker says for which, without its password', async (t) => {
  const said: [string, unknown][] = [];
  const clock = new ManualClock();
  const log: Logger = { ...silentLogger, warn: (text, about) => void said.push([text, about]) };
  const port = await freePort();
  const url = `nats://edge:first@127.0.0.1:${port}`;

  const connecting = connectNats({ url, name: 'test', waiting: { clock, log } });
  await clock.advance(5_000);
  t.deepEqual(said, [
    [
      'no broker answers, and nothing can be served without one; it is tried again',
      { servers: `nats://127.0.0.1:${port}` },
    ],
  ]);
  await changingBroker(t, port);
  const connection = await connecting;
  t.teardown(() => closeNats(connection));
  await clock.advance(60_000);

  t.is(said.length, 1);
});

test('a login that is refused at the start is told', async (t) => {
  const { port } = await changingBroker(t);
  const url = `nats://edge:wrong@127.0.0.1:${port}`;

  await t.throwsAsync(connectNats({ url, name: 'test' }), { message: /authorization violation/i });
});

test('a connection that the client gave up is told of, one that we closed is not', async (t) => {
  const broker = await changingBroker(t);
  const said: string[] = [];
  const log: Logger = { ...silentLogger, error: (message) => void said.push(message) };
  const [own, given] = await Promise.all(
    // As the library does it when it is told nothing.
    [0, 1].map(() =>
      connect({
        servers: `127.0.0.1:${broker.port}`,
        user: 'edge',
        pass: 'first',
        reconnectTimeWait: 50,
      }),
    ),
  );
  if (own === undefined || given === undefined) return t.fail();
  let hasGivenUpOwn = false;
  void untilGivenUp(own, log).then(() => {
    hasGivenUpOwn = true;
  });
  await closeNats(own);

  const givenUp = untilGivenUp(given, log);
  await broker.change('second');
  await givenUp;

  t.deepEqual(said, ['the connection to the broker is closed for good']);
  t.false(hasGivenUpOwn);
});

/** A broker that greets whoever comes, and reads nothing any more once it is told to hang. */
async function hangingBroker(t: ExecutionContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
    const info = { server_id: 'hanging', version: '2.14.0', proto: 1, headers: true };
    socket.write(`INFO ${JSON.stringify({ ...info, max_payload: 1_048_576 })}\r\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hang = () => {
    for (const socket of sockets) socket.pause();
    server.close();
  };
  return { address: `127.0.0.1:${port}`, hang };
}

test('a broker that hangs with much on its way is left for another', async (t) => {
  const [hanging, other] = [await hangingBroker(t), await changingBroker(t)];
  const connection = await connect({
    servers: [hanging.address, `127.0.0.1:${other.port}`],
    ...{ user: 'edge', pass: 'first', inboxPrefix: '_INBOX_edge', noRandomize: true },
    ...{ pingInterval: 200, maxPingOut: 2, maxReconnectAttempts: -1, reconnectTimeWait: 50 },
  });
  t.teardown(() => closeNats(connection));
  t.is(connection.info?.server_id, 'hanging');
  void leaveWhenStale(connection);

  hanging.hang();
  // More than the buffers of two kernels take.
  const megabyte = new Uint8Array(1_000_000);
  for (let count = 0; count < 64; count += 1) connection.publish('any', megabyte);

  await t.notThrowsAsync(until(() => connection.info?.server_id !== 'hanging'));
});

test('a broker without TLS is not spoken to where the address asks for TLS', async (t) => {
  const broker = await changingBroker(t);
  const url = broker.url.replace(/^nats:/, 'tls:');

  await t.throwsAsync(connectNats({ url, name: 'test' }), { message: /tls/i });
  // One of them is enough: the client comes to any.
  const mixed = `${broker.url},${url}`;
  await t.throwsAsync(connectNats({ url: mixed, name: 'test' }), { message: /tls/i });
});
