import test from 'ava';
import type { LocalNats } from '../../infra/local/nats.ts';
import type { Logger } from '../../infra/ports/log.ts';
import { acceptHistory, createHistoryStore } from '../../infra/postgres/history-store.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import {
  type EmbeddedStoreUnderTest,
  embeddedStore,
} from '../infra/object-store/store-under-test.ts';
import { privateNats } from '../support/cluster.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { sendSubmission } from '../support/evaluation-client.ts';
import { storeThatFills } from '../support/full-store.ts';
import { silentLogger } from '../support/silent-telemetry.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

// Whatever keeps writes from being taken turns GET /health/deep red, and says why. One service, hurt in
// turns: the last tests leave it without a coordinator and without a broker.

let nats: LocalNats;
let service: TestService;
let validator: TestKey;
let full: Awaited<ReturnType<typeof storeThatFills>>;
let stored: EmbeddedStoreUnderTest;
/** What was logged as an error. */
const loud = new Map<string, unknown>();
test.before(async () => {
  nats = await privateNats();
  stored = await embeddedStore();
  full = await storeThatFills(stored.options.endpoint);
  const env = {
    NATS_URL: nats.url,
    S3_ENDPOINT: full.endpoint,
    S3_ACCESS_KEY_ID: stored.options.accessKeyId,
    S3_SECRET_ACCESS_KEY: stored.options.secretAccessKey,
  };
  const log: Logger = {
    ...silentLogger,
    error: (message, fields) => void loud.set(message, fields),
    with: () => log,
  };
  service = await startTestService({ env, log });
  validator = await service.validator('validator');
});
test.after.always(async () => {
  await service?.stop();
  full?.stop();
  await stored?.stop();
});

interface Probe {
  readonly status: string;
  readonly reason?: string;
}

async function health(): Promise<{ status: number; probes: Record<string, Probe> }> {
  const answer = await service.call('GET', '/health/deep');
  const { probes } = (await answer.json()) as { probes: Record<string, Probe> };
  return { status: answer.status, probes };
}

const isGreen = async () => (await health()).status === 200;

/** Until the probe is red for this reason, and with it the whole. */
async function untilRed(name: string, reason: RegExp | undefined): Promise<void> {
  await until(async () => {
    const { status, probes } = await health();
    const { status: probed, reason: told } = probes[name] ?? { status: 'absent' };
    const isTold = reason === undefined ? told === undefined : reason.test(told ?? '');
    return status === 503 && probed === 'failed' && isTold;
  });
}

/** A signed request leaves a nonce, which is a write. */
const write = () => validator.request('POST', '/v1/validator/work/claim');

test.serial('a partition that nobody owns', async (t) => {
  t.true(await isGreen());
  const { sql } = service;
  // Nobody may take what demands newer code than there is.
  await sql`update rt.partition
    set owner = null, incarnation = null, version_floor = 99, epoch = epoch + 1,
      released_at = rt.wall_clock() - interval '1 minute'
    where kind = 'eval' and part = 3`;
  await untilRed('partitions', /^1 partitions have no owner$/);
  await sql`update rt.partition set version_floor = 0 where kind = 'eval' and part = 3`;
  await until(isGreen);
  t.pass();
});

test.serial('a disk that is full, as the server says it', async (t) => {
  const { sql } = service;
  await sql.unsafe(`
    create function disk_full() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end $$;
    create trigger disk_full before insert on nonce for each statement execute function disk_full();`);
  t.teardown(() => sql.unsafe('drop trigger if exists disk_full on nonce'));
  for (let count = 0; count < 2; count += 1) {
    // A machine that is slow may not know in time what became of it.
    await until(async () => {
      const answer = await write();
      t.is(answer.status, 503);
      const { error_code: code } = (await answer.json()) as { error_code: string };
      t.true(['STORE_UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(code), code);
      return code === 'STORE_UNAVAILABLE';
    });
  }
  await untilRed('writes', /^the last writes were not taken$/);
  await sql.unsafe('drop trigger disk_full on nonce');
  await write();
  // One that is taken says that it is over.
  await until(isGreen);
});

test.serial('an object store that is full, until it takes something again', async (t) => {
  await openTrialSuite(service);
  full.isFull = true;
  const answer = await sendSubmission(await service.miner('miner'));
  t.is(answer.status, 503);
  t.is(((await answer.json()) as { error_code: string }).error_code, 'STORAGE_UNAVAILABLE');
  await untilRed('object_store', /^the object store answers, and takes no files$/);
  full.isFull = false;
  // Nobody sends anything meanwhile.
  await until(isGreen);
});

test.serial('a database that only reads', async (t) => {
  const { sql } = service;
  const [row] = await sql<{ name: string }[]>`select current_database() as name`;
  const reconnectAll = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  await sql`alter database ${sql(row?.name ?? '')} set default_transaction_read_only = on`;
  await reconnectAll();
  await untilRed('database', /^the database is read-only$/);
  // In a transaction that says that it writes.
  await transaction(sql, {}, async (tx) => {
    await tx`alter database ${tx(row?.name ?? '')} reset default_transaction_read_only`;
  });
  await reconnectAll();
  await until(isGreen);
  t.pass();
});

test.serial('a server that took over and is not to be trusted, told in the log too', async (t) => {
  const { sql } = service;
  const [row] = await sql<{ name: string }[]>`select current_database() as name`;
  const name = sql(row?.name ?? '');
  const reconnectAll = () => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  await sql`alter database ${name} set zero_damaged_pages = on`;
  await reconnectAll();
  await until(async () => {
    const { status, probes } = await health();
    const unfit = 'the database is unfit; the log of this process says what to set';
    // Green as a whole: no write is refused for it.
    return status === 200 && probes['durability']?.reason === unfit;
  });
  t.deepEqual(loud.get('THE DATABASE MAY LOSE WHAT IT ACKNOWLEDGES'), {
    complaint:
      'unfit database: zero_damaged_pages is on, so damage reads as absence; set zero_damaged_pages = off',
  });
  await sql`alter database ${name} reset zero_damaged_pages`;
  await reconnectAll();
  await until(async () => (await health()).probes['durability']?.status === 'ok');
});

test.serial('a database that went back in time: reads go on, until it is accepted', async (t) => {
  const { sql } = service;
  const store = createHistoryStore(sql);
  const newest = async () => (await store.read([]))?.newest;
  const from = await newest();
  const marks = await sql`select * from rt.mark`;
  await until(async () => ((await newest())?.seq ?? 0) > (from?.seq ?? 0) + 1);
  const lost = await newest();
  if (lost === undefined) throw new Error('there is no mark');
  await until(() => isSeenByEdge(lost.seq));
  await transaction(sql, {}, async (tx) => {
    await tx`lock rt.mark`;
    await tx`delete from rt.mark`;
    await tx`insert into rt.mark ${tx(marks as unknown as Record<string, unknown>[])}`;
  });
  await untilRed('history', /^the database went back in time$/);

  const refused = await write();
  t.is(refused.status, 503);
  t.is(((await refused.json()) as { error_code: string }).error_code, 'READ_ONLY');
  t.is(refused.headers.get('x-admission'), 'rejected');
  t.true(Number(refused.headers.get('retry-after')) >= 1);
  const ahead = await service.call('GET', '/v1/public/events?cursor=1000');
  t.is(ahead.status, 503, 'whoever heard more waits until it is known what holds');
  t.is(((await ahead.json()) as { error_code: string }).error_code, 'READ_ONLY');
  const ordered = await service.operator('PUT', `/v1/admin/hotkeys/${validator.hotkey}/ban`, {
    body: { reason: 'a trial' },
  });
  t.is(ordered.status, 503, 'operators neither');
  t.is((await service.call('GET', '/v1/public/leaderboard')).status, 200);
  t.is((await service.operator('GET', '/v1/admin/audit-log')).status, 200);
  const signed = await validator.request('GET', '/v1/validator/weight-salt');
  t.is(signed.status, 503, 'a signed read leaves a nonce');
  // The coordinator dropped what it had in memory and decides nothing.
  const [before] = await sql`select count(*)::integer as events from rt.event`;
  const [edge] = service.edges;
  await transaction(sql, {}, (tx) => acceptHistory(tx, lost));
  await edge?.outdated;
  const [after] = await sql`select count(*)::integer as events from rt.event`;
  t.deepEqual(before, after);
});

async function isSeenByEdge(seq: number): Promise<boolean> {
  // Edges look every second; a mark that is older than two looks was seen.
  const [row] = await service.sql<{ isOld: boolean }[]>`
    select at < rt.wall_clock() - interval '2 seconds' as "isOld" from rt.mark where seq = ${seq}`;
  return row?.isOld === true;
}

test.serial('no coordinator that lives, and nothing written for a while', async (t) => {
  const [coordinator] = service.coordinators;
  await coordinator?.[Symbol.asyncDispose]();
  await untilRed('coordinator', /^no coordinator is alive$/);
  await service.sql`update rt.mark set at = at - interval '1 minute'`;
  await untilRed('writes', /^nothing was written for ten seconds$/);
  t.pass();
});

test.serial('a broker that is gone', async (t) => {
  await nats.stop();
  await untilRed('broker', undefined);
  t.pass();
});
