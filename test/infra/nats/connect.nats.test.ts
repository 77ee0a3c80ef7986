import { rm } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { connect, type NatsConnection } from 'nats';
import { freePort } from '../../../infra/local/free-port.ts';
import { startNats } from '../../../infra/local/nats.ts';
import { closeNats, connectNats, untilGivenUp } from '../../../infra/nats/connect.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

/** One broker that is started again and again, each time with the passwords it is told. */
async function changingBroker(t: ExecutionContext) {
  const storeDir = await temporaryFolder();
  const port = await freePort();
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
