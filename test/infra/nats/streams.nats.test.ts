import { jetstreamManager } from '@nats-io/jetstream';
import test from 'ava';
import { connectNats, isRecent } from '../../../infra/nats/connect.ts';
import { differences, ensureStreams, wantedStreams } from '../../../infra/nats/streams.ts';
import { privateNats } from '../../support/cluster.ts';

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
