import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startEmbeddedObjectStore } from '../../infra/object-store/embedded/embedded-store.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { evalPartitionOf } from '../../machines/partition-of.ts';
import { covers } from '../spec/covers.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import { agentCode, submissionForm } from '../support/evaluation-client.ts';
import { holdLock } from '../support/held-lock.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { ContractDesk } from './contract-desk.ts';

// Each neighbour of the service goes away in turn; what then cannot be done is refused by its word.

let service: TestService;
let desk: ContractDesk;
let folder: string;
let stopStore: () => Promise<void>;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paddock-outages-'));
  const keys = { accessKeyId: 'test', secretAccessKey: randomBytes(16).toString('hex') };
  const store = await startEmbeddedObjectStore({ dataDir: folder, ...keys });
  stopStore = () => store.stop();
  service = await startTestService({
    env: {
      S3_ENDPOINT: store.endpoint,
      S3_ACCESS_KEY_ID: keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
      REQUEST_SECONDS: '3',
      EVENT_STREAMS_MAX: '1',
      CHAIN_CACHE_SECONDS: '600',
    },
  });
  desk = new ContractDesk(service);
  await openTrialSuite(service);
});
test.after.always(async () => {
  await service?.stop();
  await stopStore?.();
  await rm(folder, { recursive: true, force: true });
});

const body = () => submissionForm({ name: 'agent', file: agentCode });

test.serial('no more streams than there may be', async (t) => {
  const first = await desk.send('CON-8-EVENTS');
  t.is(first.status, 200);
  await desk.refuse(t, 'CON-6-OVERLOADED', await desk.send('CON-8-EVENTS'));
  await first.body?.cancel();
});

test.serial('an owner that does not answer in time leaves the outcome open', async (t) => {
  const by = await service.miner('open');
  const { agent_version_id } = await desk.ask(t, 'SPEC-MIN-01', { by, body: body() });
  const part = evalPartitionOf(agent_version_id);
  const params = { agent_version_id };
  await holdLock(
    service.sql,
    (tx) => tx`select 1 from rt.partition where kind = 'eval' and part = ${part} for update`,
    async () => {
      const order = await desk.send('CON-7-DISCARD', { params, body: { reason: 'x' } });
      await desk.refuse(t, 'CON-6-OUTCOME_UNKNOWN', order);
    },
  );
});

test.serial('without the object store no file is taken', async (t) => {
  const by = await service.miner('no store');
  await stopStore();
  const answer = await desk.send('SPEC-MIN-01', { by, body: body() });
  await desk.refuse(t, 'CON-6-STORAGE_UNAVAILABLE', answer);
});

test.serial('without its chain nobody new is let in', async (t) => {
  covers('SPEC-LIM-REGISTRATION_TTL');
  const known = await service.miner('known');
  await desk.ask(t, 'SPEC-MIN-02', { by: known });
  await service.chain.stop();
  await desk.ask(t, 'SPEC-MIN-02', { by: known });
  const answer = await desk.send('SPEC-MIN-02', { by: service.stranger('new') });
  await desk.refuse(t, 'CON-6-CHAIN_UNAVAILABLE', answer);
});

test.serial('without a coordinator nobody owns the work', async (t) => {
  for (const each of service.coordinators) await each[Symbol.asyncDispose]();
  const params = { hotkey: service.stranger('banned').hotkey };
  const answer = await desk.send('CON-7-BAN', { params, body: { reason: 'x' } });
  await desk.refuse(t, 'CON-6-OWNER_UNAVAILABLE', answer);
});

test.serial('without the database nothing is read, and deep health says so', async (t) => {
  const url = new URL(service.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const server = createSql({ url: url.href, max: 1, applicationName: 'outage' });
  t.teardown(() => closeSql(server));
  await server.unsafe(`alter database "${name}" allow_connections false`);
  await server`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  await desk.refuse(t, 'CON-6-STORE_UNAVAILABLE', await desk.send('SPEC-PUB-14'));
  t.is((await desk.send('SPEC-HEA-01')).status, 200);
  t.is((await desk.send('SPEC-HEA-02')).status, 503);
  await server.unsafe(`alter database "${name}" allow_connections true`);
});
