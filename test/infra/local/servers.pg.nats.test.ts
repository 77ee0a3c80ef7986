import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import test, { type ExecutionContext } from 'ava';
import { connect } from 'nats';
import { startNats } from '../../../infra/local/nats.ts';
import { startPostgres } from '../../../infra/local/postgres.ts';
import { ensureStreams, streamBytesMax } from '../../../infra/nats/streams.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { until } from '../../support/until.ts';

/**
 * What the launchers promise.
 *
 * 1. What was acknowledged is there after the server was killed and started again on its folder.
 * 2. Two servers never run on one folder.
 * 3. No server outlives the process that started it, however that one ended.
 */
async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `paddock-test-${process.pid}-`));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

// Making a cluster takes a second of a whole core, so it is made once and copied.
let cluster = '';
test.before(async () => {
  cluster = await mkdtemp(join(tmpdir(), `paddock-test-${process.pid}-`));
  const { stop } = await startPostgres({ dataDir: join(cluster, 'data'), fsync: false });
  await stop();
});
test.after.always(() => rm(cluster, { recursive: true, force: true }));

async function clusterOf(t: ExecutionContext): Promise<string> {
  const folder = await folderOf(t);
  await cp(cluster, folder, { recursive: true });
  return folder;
}

test('PostgreSQL keeps its rows when it is killed', async (t) => {
  const dataDir = join(await clusterOf(t), 'data');
  const first = await startPostgres({ dataDir });
  const before = createSql({ url: first.url, max: 1, applicationName: 'test' });
  await before`create table kept as select 42 as answer`;
  await closeSql(before);

  first.kill('SIGKILL');
  const second = await startPostgres({ dataDir, port: first.port });
  const after = createSql({ url: second.url, max: 1, applicationName: 'test' });
  const rows = await after<{ answer: number; fsync: string }[]>`
    select answer, current_setting('fsync') as fsync from kept`;
  await closeSql(after);
  await second.stop();

  t.is(second.url, first.url);
  t.deepEqual([...rows], [{ answer: 42, fsync: 'on' }]);
});

test('NATS keeps its messages when it is killed', async (t) => {
  const storeDir = await folderOf(t);
  const first = await startNats({ storeDir });
  const before = await connect({ servers: first.url, reconnect: false });
  await (await jetstreamManager(before)).streams.add({ name: 'KEPT', subjects: ['kept'] });
  await jetstream(before).publish('kept', 'here');

  first.kill('SIGKILL');
  const second = await startNats({ storeDir, port: first.port, monitorPort: first.monitorPort });
  const after = await connect({ servers: second.url });
  const manager = await jetstreamManager(after);
  const message = await manager.streams.getMessage('KEPT', { seq: 1 });
  await after.close();
  const status = await fetch(`http://127.0.0.1:${second.monitorPort}/varz`);
  const { jetstream: settings } = (await status.json()) as { jetstream: { config: unknown } };
  await second.stop();

  t.is(message?.string(), 'here');
  t.like(settings.config, { sync_always: true });
});

// The server's own measure is three quarters of what is free: too little on a small disk, for streams that
// would never fill it.
test('NATS has room for the streams of ours, however small the disk', async (t) => {
  const { monitorPort, url, stop } = await startNats({ storeDir: await folderOf(t), fsync: false });
  const status = await fetch(`http://127.0.0.1:${monitorPort}/jsz`);
  const { config } = (await status.json()) as { config: { max_storage: number } };
  const connection = await connect({ servers: url });
  await ensureStreams(connection, { replicas: 1 });
  await connection.close();
  await stop();

  t.is(config.max_storage, streamBytesMax());
});

test('a second server on the same folder is refused', async (t) => {
  const folder = await clusterOf(t);
  const postgres = await startPostgres({ dataDir: join(folder, 'data'), fsync: false });
  const nats = await startNats({ storeDir: join(folder, 'nats'), fsync: false });

  await t.throwsAsync(startPostgres({ dataDir: join(folder, 'data') }), {
    message: /already runs/,
  });
  await t.throwsAsync(startNats({ storeDir: join(folder, 'nats') }), { message: /already runs/ });

  await Promise.all([postgres.stop(), nats.stop()]);
});

test('a port that is taken is named as the reason', async (t) => {
  const folder = await clusterOf(t);
  const nats = await startNats({ storeDir: join(folder, 'nats'), fsync: false });

  const again = { storeDir: join(folder, 'other'), port: nats.port };
  await t.throwsAsync(startNats(again), { message: /port is already in use/ });
  const postgres = { dataDir: join(folder, 'data'), port: nats.port };
  await t.throwsAsync(startPostgres(postgres), { message: /port is already in use/ });

  await nats.stop();
});

test('a program that is no nats-server is refused with a hint', async (t) => {
  const storeDir = await folderOf(t);

  const started = startNats({ storeDir, serverBin: process.execPath });

  await t.throwsAsync(started, { message: /install nats-server 2\.12 or newer/ });
});

test('a stop may come twice and returns when nothing runs any more', async (t) => {
  const dataDir = join(await clusterOf(t), 'data');
  const { pid, stop } = await startPostgres({ dataDir, fsync: false });

  await Promise.all([stop(), stop()]);
  await stop();

  t.false(existsSync(`/proc/${pid}/stat`));
});

test('a killed process takes its servers along', async (t) => {
  const script = join(import.meta.dirname, 'start-and-hang.ts');
  const parent = spawn(process.execPath, [script, await clusterOf(t)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const pids: number[] = JSON.parse(String(line));

  parent.kill('SIGKILL');
  await until(() => !pids.some(isRunning));

  t.is(pids.length, 2);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
