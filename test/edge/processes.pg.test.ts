import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startEmbeddedChain } from '../../infra/chain/embedded/chain-node.ts';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { startPostgres } from '../../infra/local/postgres.ts';
import { startEmbeddedObjectStore } from '../../infra/object-store/embedded/embedded-store.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { privateNats } from '../support/cluster.ts';
import { systemEnv } from '../support/system-env.ts';
import { until } from '../support/until.ts';

const root = new URL('../../', import.meta.url);

interface Started {
  readonly child: ChildProcess;
  readonly errors: () => string;
}

function start(t: ExecutionContext, script: string, env: Record<string, string>): Started {
  const child = fork(new URL(`apps/${script}/main.ts`, root), {
    env: { ...systemEnv(), ...env },
    execArgv: ['--import', new URL('infra/otel/register.ts', root).href],
    silent: true,
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  t.teardown(() => void child.kill('SIGKILL'));
  return { child, errors: () => errors };
}

async function exitCode({ child }: Started): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = await once(child, 'exit');
  return code as number | null;
}

async function ready({ child, errors }: Started): Promise<{ ready: boolean; port?: number }> {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`it ended before it was ready: ${errors()}`);
    }),
  ]);
  return message as { ready: boolean; port?: number };
}

const closers = new AsyncDisposableStack();
let neighbours: Awaited<ReturnType<typeof startNeighbours>>;
test.before(async () => {
  neighbours = await startNeighbours();
});
test.after.always(() => closers.disposeAsync());

async function startNeighbours() {
  const folder = await mkdtemp(join(tmpdir(), 'paddock-processes-'));
  closers.defer(() => rm(folder, { recursive: true, force: true }));
  const keys = { accessKeyId: 'test', secretAccessKey: randomBytes(16).toString('hex') };
  const [postgres, nats, objects, chain] = await Promise.all([
    // Durable, as the coordinator insists.
    startPostgres({ dataDir: join(folder, 'postgres') }),
    privateNats(),
    startEmbeddedObjectStore({ dataDir: join(folder, 'objects'), ...keys }),
    startEmbeddedChain({ dataDir: join(folder, 'chain'), netuid: 1, clock: systemClock }),
  ]);
  closers.defer(() => postgres.stop());
  closers.defer(() => objects.stop());
  closers.defer(() => chain.stop());
  const env = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    S3_ENDPOINT: objects.endpoint,
    S3_BUCKET: 'paddock',
    S3_ACCESS_KEY_ID: keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    CHAIN_RPC_URL: chain.url,
    NETUID: '1',
    OPERATOR_TOKENS: `ops:${'t'.repeat(32)}`,
    CREDENTIAL_KEYS: `k:${randomBytes(32).toString('base64')}`,
    BUNDLE_SIGNING_KEY: randomBytes(32).toString('base64'),
    RACE_SECRET: randomBytes(32).toString('base64'),
    PROVIDERA_URL: 'http://127.0.0.1:1',
    PROVIDERB_URL: 'http://127.0.0.1:1',
    PORT: '0',
    DRAIN_SECONDS: '4',
  };
  return { env, nats };
}

test('a process that cannot be configured says why in one place and ends with 1', async (t) => {
  for (const script of ['edge', 'coordinator', 'migrate']) {
    const started = start(t, script, { OPERATOR_TOKENS: 'ops:short-secret', LEASE_SECOND: '5' });
    t.is(await exitCode(started), 1, script);
    t.regex(started.errors(), /DATABASE_URL is not set/);
    t.regex(started.errors(), /LEASE_SECOND is no key of ours; did you mean LEASE_SECONDS\?/);
    t.false(started.errors().includes('short-secret'));
    t.false(started.errors().includes('    at '), 'no stack');
  }
});

test('migrate, coordinator and edge run, serve and stop when told, also without a broker', async (t) => {
  const { nats } = neighbours;
  // Who cannot close something takes all of it.
  const drainSeconds = 60;
  const env = { ...neighbours.env, DRAIN_SECONDS: String(drainSeconds) };
  const migrated = start(t, 'migrate', env);
  t.is(await exitCode(migrated), 0, migrated.errors());

  const coordinator = start(t, 'coordinator', { ...env, PROCESS_NAME: 'coordinator-1' });
  const edge = start(t, 'edge', { ...env, PROCESS_NAME: 'edge-1' });
  t.true((await ready(coordinator)).ready, coordinator.errors());
  const { port } = await ready(edge);
  const baseUrl = `http://127.0.0.1:${port}`;
  // A new database has no mark for the first second, and until then nothing shows that it takes writes.
  await until(async () => (await fetch(`${baseUrl}/health/deep`)).status === 200);
  const overview = await fetch(`${baseUrl}/v1/admin/overview`, {
    headers: { authorization: `Bearer ${'t'.repeat(32)}` },
  });
  t.is(overview.status, 200);
  t.regex(overview.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);

  const stop = async (stopping: Started) => {
    const startedMs = Date.now();
    stopping.child.kill('SIGTERM');
    t.is(await exitCode(stopping), 0, stopping.errors());
    t.true(Date.now() - startedMs < drainSeconds * 1000);
  };
  await stop(coordinator);
  t.notRegex(coordinator.errors(), /ending before everything could be closed/);
  // Its client waits for the broker, which never comes again.
  await nats.stop();
  await stop(edge);
  for (const { errors } of [edge, coordinator]) {
    for (const line of errors().trim().split('\n')) t.notThrows(() => JSON.parse(line), line);
  }
});

test('an edge whose port is taken says so and ends with 1', async (t) => {
  const other = createServer().listen(0, '0.0.0.0');
  t.teardown(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;

  const edge = start(t, 'edge', { ...neighbours.env, PORT: String(port) });

  t.is(await exitCode(edge), 1);
  t.regex(edge.errors(), /EADDRINUSE/);
  t.notRegex(edge.errors(), /"message":"ready"/);
});

test('a process that waits for its broker can still be ended, also by losing its parent', async (t) => {
  const env = { ...neighbours.env, NATS_URL: 'nats://127.0.0.1:1' };
  const told = start(t, 'edge', env);
  const orphaned = start(t, 'edge', env);
  for (const { errors } of [told, orphaned]) await until(() => /no broker answers/.test(errors()));
  told.child.kill('SIGTERM');
  orphaned.child.disconnect();
  await Promise.all([exitCode(told), exitCode(orphaned)]);
  t.is(told.child.signalCode, 'SIGTERM');
  t.is(orphaned.child.signalCode, 'SIGTERM');
});

/** On the same server, so that no other test's processes meet those of this one. */
async function anotherDatabase(name: string): Promise<string> {
  const sql = createSql({ url: neighbours.env.DATABASE_URL, max: 1, applicationName: 'test' });
  await sql`create database ${sql(name)}`;
  await closeSql(sql);
  return Object.assign(new URL(neighbours.env.DATABASE_URL), { pathname: name }).href;
}

test('a broker that stands still keeps no process that was told to stop', async (t) => {
  const nats = await privateNats(t);
  const DATABASE_URL = await anotherDatabase('standing_still');
  const env = { ...neighbours.env, DATABASE_URL, NATS_URL: nats.url, DRAIN_SECONDS: '2' };
  const migrated = start(t, 'migrate', env);
  t.is(await exitCode(migrated), 0, migrated.errors());
  const coordinator = start(t, 'coordinator', { ...env, PROCESS_NAME: 'coordinator-1' });
  const edge = start(t, 'edge', { ...env, PROCESS_NAME: 'edge-1' });
  await Promise.all([ready(coordinator), ready(edge)]);
  process.kill(nats.pid, 'SIGSTOP');
  t.teardown(() => process.kill(nats.pid, 'SIGCONT'));

  for (const { child } of [coordinator, edge]) child.kill('SIGTERM');

  for (const { child, errors } of [coordinator, edge]) {
    // Many times what it may take, which costs only whoever has lost the end of it.
    await t.notThrowsAsync(
      until(() => child.exitCode !== null, 40_000),
      errors(),
    );
    t.is(child.exitCode, 0);
    // Else it was not kept by anything, and this has shown nothing.
    t.regex(errors(), /ending before everything could be closed/);
  }
});
