import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../../infra/local/free-port.ts';
import { natsBinary } from '../../../infra/local/nats-binary.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { ensureStreams, prepareStreams } from '../../../infra/nats/streams.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

// One host on which NATS_REPLICAS was forgotten must not take copies away from all of them.
test('a process that is told fewer copies than there are says so and takes none away', async (t) => {
  const connection = await connectNats({ url: await threeNodes(t), name: 'test' });
  t.teardown(() => connection.close());
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const copiesOf = async (name: string) => (await manager.streams.info(name)).config.num_replicas;
  // The nodes have a leader some time after they take connections.
  await until(() =>
    ensureStreams(connection, { replicas: 3 }).then(
      () => true,
      () => false,
    ),
  );
  await manager.streams.update('EVT', { max_bytes: 1_000_000 });
  const said: object[] = [];
  const log = {
    warn: (message: string, fields?: object) => void said.push({ message, ...fields }),
  };

  await prepareStreams(connection, { replicas: 1 }, log);
  await ensureStreams(connection, { replicas: 1 });

  t.deepEqual([await copiesOf('EVT'), await copiesOf('FACT')], [3, 3]);
  t.deepEqual(
    said,
    ['EVT', 'FACT'].map((stream) => ({
      message: 'NATS_REPLICAS is below the copies that a stream has; it keeps them',
      ...{ stream, copies: 3, replicas: 1 },
    })),
  );
  const { config } = await manager.streams.info('EVT');
  t.is(config.max_bytes, 4 * 1024 ** 3, 'what else differs is mended');

  // Whoever means it says it to the broker, and nothing that starts with fewer undoes it.
  await manager.streams.update('EVT', { num_replicas: 1 });
  await prepareStreams(connection, { replicas: 1 }, log);
  t.is(await copiesOf('EVT'), 1);
  await prepareStreams(connection, { replicas: 3 }, log);
  t.is(await copiesOf('EVT'), 3, 'more copies are made at any start');
});

/** The address of one of three servers that keep streams together. */
async function threeNodes(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder();
  const program = await natsBinary(process.env['PADDOCK_TEST_NATS_BIN']);
  const nodes = await Promise.all(
    [1, 2, 3].map(async (index) => ({
      ...{ index, port: await freePort(), routePort: await freePort() },
    })),
  );
  const routes = nodes.map(({ routePort }) => `nats://127.0.0.1:${routePort}`);
  const servers = nodes.map(async ({ index, port, routePort }) => {
    const file = join(folder, `${index}.conf`);
    const settings = {
      server_name: `nats-${index}`,
      listen: `127.0.0.1:${port}`,
      jetstream: { store_dir: join(folder, `${index}`) },
      cluster: { name: 'test', listen: `127.0.0.1:${routePort}`, routes },
    };
    await writeFile(file, JSON.stringify(settings));
    return spawn(program, ['--config', file], { stdio: 'ignore' });
  });
  const running = await Promise.all(servers);
  t.teardown(async () => {
    for (const server of running) {
      server.kill('SIGKILL');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  return nodes.map(({ port }) => `nats://127.0.0.1:${port}`).join(',');
}
