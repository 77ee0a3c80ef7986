import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import test, { type ExecutionContext } from 'ava';
import { natsBinary } from '../../../infra/local/nats-binary.ts';
import { connectNats, isRecent } from '../../../infra/nats/connect.ts';
import { differences } from '../../../infra/nats/differences.ts';
import { ensureStreams, prepareStreams, wantedStreams } from '../../../infra/nats/streams.ts';
import { privateNats } from '../../support/cluster.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

test('streams are made as wanted, and a second time changes nothing', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());

  await ensureStreams(connection, { replicas: 1 });
  await ensureStreams(connection, { replicas: 1 });

  const manager = await jetstreamManager(connection);
  for (const wanted of wantedStreams({ replicas: 1 })) {
    const { config } = await manager.streams.info(wanted.name);
    t.deepEqual(differences(wanted, config), []);
  }
});

test('a stream that was changed is mended', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  await ensureStreams(connection, { replicas: 1 });
  const manager = await jetstreamManager(connection);
  await manager.streams.update('EVT', { max_bytes: 1_000_000 });

  await ensureStreams(connection, { replicas: 1 });

  t.is((await manager.streams.info('EVT')).config.max_bytes, 4 * 1024 ** 3);
});

test('a stream that cannot be as wanted stops the start', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());

  await t.throwsAsync(ensureStreams(connection, { replicas: 3 }), { message: /replicas/ });
});

test('at a start settings that cannot be stop it as well', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());

  const starting = prepareStreams(connection, { replicas: 3 }, silentLogger);

  await t.throwsAsync(starting, { message: /replicas/ });
});

// A server that met a full disk goes on without its streams; commands and commits need none of them.
test('a broker that keeps no messages now stops no start', async (t) => {
  const connection = await connectNats({ url: await withoutStreams(t), name: 'test' });
  t.teardown(() => connection.close());
  await t.throwsAsync(ensureStreams(connection, { replicas: 1 }));
  const said: string[] = [];
  const log = { warn: (message: string) => void said.push(message) };

  await prepareStreams(connection, { replicas: 1 }, log);

  t.deepEqual(said, ['the broker keeps no messages now; what is to be sent waits']);
});

/** The address of a server whose JetStream is off. */
async function withoutStreams(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder();
  const args = ['--addr', '127.0.0.1', '--port', '-1', '--ports_file_dir', folder];
  const server = spawn(await natsBinary(process.env['PADDOCK_TEST_NATS_BIN']), args);
  t.teardown(async () => {
    server.kill();
    await once(server, 'exit');
    await rm(folder, { recursive: true });
  });
  let url: string | undefined;
  await until(async () => {
    const file = (await readdir(folder)).find((name) => name.endsWith('.ports'));
    const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
    url = /nats:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    return url !== undefined;
  });
  return url ?? '';
}

test('each setting that differs is named with both values', (t) => {
  const [evt] = wantedStreams({ replicas: 1 });
  if (evt === undefined) throw new Error('no streams');

  const found = { ...evt, max_age: 1, deny_purge: false } as Parameters<typeof differences>[1];

  t.deepEqual(differences(evt, found), [
    'max_age is 1, not 259200000000000',
    'deny_purge is false, not true',
  ]);
});

for (const [version, verdict] of [
  ['2.11.9', false],
  ['2.12.0', true],
  ['2.14.0', true],
  ['3.0.0', true],
  ['2.9.10', false],
] as const) {
  test(`nats-server ${version} is ${verdict ? 'taken' : 'refused'}`, (t) => {
    t.is(isRecent(version), verdict);
  });
}

const genesisA = { replicas: 1, genesis: 'a' };
const genesisB = { replicas: 1, genesis: 'b' };

// What is refused waits in the database; what a stream dropped to make room would be gone with nobody to know.
test('a stream that is full refuses what is new, and keeps what it has', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  const manager = await jetstreamManager(connection);
  const client = jetstream(connection);
  for (const wanted of wantedStreams({ replicas: 1 })) {
    await manager.streams.add({ ...wanted, max_bytes: 100_000 });
    const subject = `${wanted.name.toLowerCase()}.x`;
    const publish = () => client.publish(subject, new Uint8Array(30_000));
    for (let count = 0; count < 3; count += 1) await publish();

    await t.throwsAsync(publish(), { message: /maximum bytes/ });
    const { state } = await manager.streams.info(wanted.name);
    t.is(state.first_seq, 1);
    t.is(state.messages, 3);
  }
});

test('streams carry one database only; those of a version before are marked by whoever comes first', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  await ensureStreams(connection, { replicas: 1 });

  await prepareStreams(connection, genesisA, silentLogger);
  await prepareStreams(connection, genesisA, silentLogger);
  await t.throwsAsync(prepareStreams(connection, genesisB, silentLogger), {
    name: 'OtherInstallation',
  });

  // As a version before does, which knows of no marks, and finds its settings changed.
  const manager = await jetstreamManager(connection);
  await manager.streams.update('EVT', { max_bytes: 1_000_000 });
  // Whoever would mend the settings of another one's stream would make it his own.
  await t.throwsAsync(ensureStreams(connection, genesisB), { name: 'OtherInstallation' });
  t.is((await manager.streams.info('EVT')).config.max_bytes, 1_000_000);
  await ensureStreams(connection, { replicas: 1 });
  await t.throwsAsync(ensureStreams(connection, genesisB), { name: 'OtherInstallation' });
  await t.notThrowsAsync(ensureStreams(connection, genesisA));
});

test('of two databases whose coordinators come to an empty broker at once, one at most gets it', async (t) => {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());

  const starts = [genesisA, genesisA, genesisB, genesisB, genesisA];
  const ends = await Promise.allSettled(starts.map((each) => ensureStreams(connection, each)));

  const begun = starts.filter((_, at) => ends[at]?.status === 'fulfilled');
  t.true(begun.length > 0);
  t.is(new Set(begun).size, 1);
  for (const end of ends.filter(({ status }) => status === 'rejected')) {
    const { reason } = end as PromiseRejectedResult;
    t.is(reason.name, 'OtherInstallation', `${reason.code} ${reason.message}`);
  }
});
