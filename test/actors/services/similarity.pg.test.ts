import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import {
  createSimilarity,
  readVersion,
  reportNext,
  reportNextAgain,
} from '../../../actors/services/similarity/similarity.actor.ts';
import {
  beginning,
  type Look,
  leaseUnread,
  registerVersions,
  type SubmissionPlace,
} from '../../../actors/services/similarity/store.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import type { FingerprintedCode } from '../../../infra/ports/code-fingerprints.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import type { SimilarityReport } from '../../../machines/submission/similarity-report.ts';
import { testDatabase } from '../../support/cluster.ts';
import { addSuite } from '../../support/eval-desk.ts';
import { fingerprinted } from '../../support/fingerprinted.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { patient } from '../../support/patient.ts';
import { disguised, program, textOf } from '../../support/python-programs.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

// Versions are planted as rows, as if accepted before the service knew of similarity; the workers have
// the rights of the service, and the store's files are a map.

let admin: Sql;
let sql: Sql;
let suiteId: number;
const store = new Map<string, string>();
const [one, two, three, four, five, six, seven] = fc
  .sample(program(3), { numRuns: 7, seed: 5 })
  .map((made) => textOf(made));
if (!(one && two && three && four && five && six && seven)) throw new Error('seven were asked for');

test.before(async () => {
  const database = await testDatabase();
  admin = database.sql;
  const line = { applicationName: 'test', role: 'paddock_service' } as const;
  sql = createSql({ ...patient(database.url), ...line });
  suiteId = await addSuite(admin);
});
test.after.always(() => closeSql(sql));

interface Planted {
  readonly hotkey: string;
  readonly coldkey?: string;
  readonly text: string;
  /** Of the minute at which it was submitted. */
  readonly minute: number;
}

async function plant({ hotkey, coldkey, text, minute }: Planted): Promise<string> {
  const id = randomUUID();
  const sha256 = sha256Hex(text);
  store.set(sha256, text);
  await admin`
    insert into miner (hotkey, coldkey) values (${hotkey}, ${coldkey ?? null})
    on conflict do nothing`;
  await admin`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${id}, ${hotkey}, ${id}, now())`;
  await admin`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
      required_successes)
    values (${id}, 0, ${id}, ${id}, ${hotkey}, 1, ${suiteId}, 'DISCARDED',
      '2026-11-01'::timestamptz + ${minute} * interval '1 minute', ${sha256}, ${text.length}, 2)`;
  return id;
}

const transact = <T>(body: (tx: Transaction) => Promise<T>) => transaction(sql, {}, body);
const deps = () => ({
  ...{ sql, transact, log: silentLogger },
  readCode: async (sha256: string) => {
    const text = store.get(sha256);
    return text === undefined ? undefined : Buffer.from(text);
  },
  fingerprinter: {
    read: async (file: Uint8Array): Promise<FingerprintedCode> => ({
      kind: 'read',
      fingerprints: fingerprinted(Buffer.from(file).toString()),
    }),
    rest: async () => undefined,
  },
});

const register = () => transact((tx) => registerVersions(tx, { limit: 500, after: beginning }));

/** One process that does all there is to do; answers how many reports it made. */
async function work(): Promise<number> {
  await register();
  for (;;) {
    const held = await leaseUnread(sql, 60_000);
    if (held === undefined) break;
    await readVersion(deps(), held);
  }
  let reports = 0;
  while ((await reportNext(deps())) || (await reportNextAgain(deps()))) reports += 1;
  return reports;
}

async function reportOf(id: string) {
  const [row] = await admin<
    {
      verdict: string | null;
      unreadable: string | null;
      isReported: boolean;
      report: SimilarityReport | null;
    }[]
  >`
    select verdict, unreadable, reported_at is not null as "isReported", report
    from similarity_version where agent_version_id = ${id}`;
  return row;
}

test.serial('versions from before are reported on in their order, by two workers', async (t) => {
  const copy = await plant({ hotkey: 'b', text: disguised(one), minute: 20 });
  const first = await plant({ hotkey: 'a', text: one, minute: 10 });
  const other = await plant({ hotkey: 'c', text: two, minute: 30 });
  const workers = [1, 2].map(() => createSimilarity({ ...deps(), clock: systemClock }));

  for (const worker of workers) await worker.start();
  await until(async () => (await reportOf(other))?.isReported === true);
  for (const worker of workers) await worker.stop();

  t.is((await reportOf(first))?.verdict, 'clean');
  t.is((await reportOf(other))?.verdict, 'clean');
  const found = await reportOf(copy);
  t.is(found?.verdict, 'copy');
  t.deepEqual(
    found?.report?.matches.map(({ id, isOwn }) => ({ id, isOwn })),
    [{ id: first, isOwn: false }],
  );
});

test.serial('what a worker that died had begun is done by another', async (t) => {
  const id = await plant({ hotkey: 'd', text: three, minute: 40 });
  const later = await plant({ hotkey: 'e', text: disguised(three), minute: 41 });
  await register();
  const dead = await leaseUnread(sql, 60_000);
  t.is(dead?.agentVersionId, id);

  t.is(await work(), 0);
  t.false((await reportOf(later))?.isReported);
  await admin`update similarity_version set next_attempt_at = now() where agent_version_id = ${id}`;
  t.is(await work(), 2);

  t.is((await reportOf(later))?.verdict, 'copy');
});

test.serial('an earlier file that is seen late turns the verdict on the later one', async (t) => {
  const later = await plant({ hotkey: 'f', text: disguised(four), minute: 61 });
  await work();
  t.is((await reportOf(later))?.verdict, 'clean');

  const earlier = await plant({ hotkey: 'g', text: four, minute: 60 });
  await work();

  t.is((await reportOf(earlier))?.verdict, 'clean');
  t.is((await reportOf(later))?.verdict, 'copy');
});

test.serial('what is written down behind a later one is taken in by the next look', async (t) => {
  await plant({ hotkey: 'u', text: `${one}\nlast = 6\n`, minute: 63 });
  const look = await register();
  if (look === 'busy' || !look.isAtEnd) return t.fail('one look sees all');
  const earlier = await plant({ hotkey: 'v', text: `${two}\nlast = 7\n`, minute: 62 });

  await transact((tx) => registerVersions(tx, { limit: 500, after: look.next }));

  t.not(await reportOf(earlier), undefined);
});

test.serial('of two files of one instant one is earlier', async (t) => {
  const ids = [
    await plant({ hotkey: 'w', text: seven, minute: 64 }),
    await plant({ hotkey: 'x', text: disguised(seven), minute: 64 }),
  ];
  await work();

  const verdicts = await Promise.all(
    ids.toSorted().map(async (id) => (await reportOf(id))?.verdict),
  );
  t.deepEqual(verdicts, ['clean', 'copy']);
});

test.serial('nor does it matter that the later one is being reported on just then', async (t) => {
  const later = await plant({ hotkey: 'ff', text: disguised(six), minute: 66 });
  await register();
  const held = await leaseUnread(sql, 60_000);
  if (held === undefined) return t.fail('there is a file to read');
  await readVersion(deps(), held);
  const [decided, onward] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slowly = <T>(body: (tx: Transaction) => Promise<T>) =>
    transact(async (tx) => {
      const result = await body(tx);
      decided.resolve();
      await onward.promise;
      return result;
    });
  const reporting = reportNext({ ...deps(), transact: slowly });
  await decided.promise;

  await plant({ hotkey: 'gg', text: six, minute: 65 });
  let isRegistered = false;
  const registering = register().then(() => {
    isRegistered = true;
  });
  // It gets as far as it can before the report is written.
  await until(async () => {
    const waiting = await admin`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return isRegistered || waiting.length > 0;
  });
  onward.resolve();
  t.true(await reporting);
  await registering;
  await work();

  t.is((await reportOf(later))?.verdict, 'copy');
});

// A backlog of an hour, and what came meanwhile: a round that only took in what was new when it began never
// saw that again, for afterwards there was what is newer by more than an hour.
test.serial('what comes while others are read is taken in at once', async (t) => {
  const backlog = await plant({ hotkey: 'n', text: `${one}\nlast = 1\n`, minute: 300 });
  let during: Promise<string> | undefined;
  const { fingerprinter, ...others } = deps();
  const read = async (file: Uint8Array) => {
    during ??= plant({ hotkey: 'o', text: `${two}\nlast = 2\n`, minute: 310 });
    await during;
    // The walk looks for news no more often than every two seconds.
    await systemClock.sleep(2_100);
    return await fingerprinter.read(file);
  };
  const service = createSimilarity({
    ...others,
    clock: systemClock,
    fingerprinter: { ...fingerprinter, read },
  });
  await service.start();
  t.teardown(() => service.stop());

  await until(async () => during !== undefined && (await reportOf(await during)) !== undefined);
  // Of the next round's own look, it would be an hour too old.
  await plant({ hotkey: 'o', text: `${three}\nlast = 3\n`, minute: 400 });
  await until(async () => (await reportOf(await (during as Promise<string>)))?.isReported === true);

  t.true((await reportOf(backlog))?.isReported);
});

test.serial('hotkeys of one coldkey are one miner', async (t) => {
  await plant({ hotkey: 'h', coldkey: 'owner', text: five, minute: 70 });
  const second = await plant({ hotkey: 'i', coldkey: 'owner', text: disguised(five), minute: 71 });
  await work();

  const found = await reportOf(second);
  t.is(found?.verdict, 'clean');
  const own = found?.report?.matches.filter(({ isOwn }) => isOwn);
  t.is(own?.length, 1);
  t.is(own?.[0]?.plainShare.part, own?.[0]?.plainShare.whole);
});

test.serial('a file that the store lost holds up nobody for long', async (t) => {
  const lost = await plant({ hotkey: 'j', text: 'lost = 1\n', minute: 80 });
  store.delete(sha256Hex('lost = 1\n'));
  const next = await plant({ hotkey: 'k', text: one, minute: 81 });
  for (let tries = 0; tries < 3; tries += 1) {
    t.false((await reportOf(next))?.isReported ?? false);
    await admin`update similarity_version set next_attempt_at = now() where unreadable is null`;
    await work();
  }

  const found = await reportOf(lost);
  t.is(found?.unreadable, 'the store does not have the file');
  t.is(found?.verdict, null);
  t.is((await reportOf(next))?.verdict, 'copy');
});

/** A worker of a store that fails for some files; `hasten` makes what was postponed due. */
async function workingWith(t: ExecutionContext, fails: (sha256: string) => boolean) {
  const { readCode, ...others } = deps();
  const failures: string[] = [];
  const service = createSimilarity({
    ...others,
    clock: systemClock,
    readCode: async (sha256) => {
      if (!fails(sha256)) return await readCode(sha256);
      failures.push(sha256);
      throw new StorageUnavailable('the object store cannot be used');
    },
  });
  await service.start();
  t.teardown(() => service.stop());
  const hasten = () => admin`
    update similarity_version set next_attempt_at = now()
    where fingerprinted_at is null and lease_token is null and unreadable is null`;
  return { failures, hasten };
}

test.serial(
  'a file that the store does not give, while it gives others, holds up nobody',
  async (t) => {
    const text = 'archived = 1\n';
    const kept = await plant({ hotkey: 'p', text, minute: 82 });
    const next = await plant({ hotkey: 'q', text: `${two}\nlast = 3\n`, minute: 83 });
    const { failures, hasten } = await workingWith(t, (sha256) => sha256 === sha256Hex(text));

    await until(async () => {
      await hasten();
      return (await reportOf(next))?.isReported === true;
    });
    t.is((await reportOf(kept))?.unreadable, 'the store does not give the file');
    t.is(failures.length, 3);
  },
);

test.serial('a store that gives nothing costs no file a try', async (t) => {
  const id = await plant({ hotkey: 'r', text: `${three}\nlast = 4\n`, minute: 84 });
  let isAway = true;
  const { failures, hasten } = await workingWith(t, () => isAway);

  await until(async () => {
    await hasten();
    const tries = failures.filter((sha256) => sha256 === sha256Hex(`${three}\nlast = 4\n`));
    return tries.length > 4;
  });
  t.false((await reportOf(id))?.isReported);
  isAway = false;
  await until(async () => {
    await hasten();
    return (await reportOf(id))?.isReported === true;
  });
  t.is((await reportOf(id))?.unreadable, null);
});

test.serial('a store that hangs costs no file a try, however many look at it', async (t) => {
  const id = await plant({ hotkey: 's', text: `${four}\nlast = 5\n`, minute: 85 });
  await register();
  const clock = new ManualClock();
  const hanging = Promise.withResolvers<undefined>();
  const asked: string[] = [];
  const workers = [1, 2].map(() =>
    createSimilarity({
      ...{ ...deps(), clock },
      readCode: async (sha256) => {
        asked.push(sha256);
        // What a store takes to say that it does not answer; an answer that never ends takes for ever.
        if (asked.length > 1) return await hanging.promise;
        await clock.sleep(33_000);
        throw new StorageUnavailable('the object store cannot be used');
      },
    }),
  );
  const state = async () => {
    const [row] = await admin<{ attempts: number; isHeld: boolean }[]>`
      select attempts, lease_token is not null as "isHeld"
      from similarity_version where agent_version_id = ${id}`;
    return row;
  };
  /** For the leases as for the workers. */
  const pass = async (ms: number) => {
    await admin`
      update similarity_version
      set next_attempt_at = next_attempt_at - ${ms} * interval '1 millisecond'
      where fingerprinted_at is null and unreadable is null`;
    await clock.advance(ms);
  };
  const stop = async () => {
    hanging.reject(new StorageUnavailable('the object store cannot be used'));
    for (const worker of workers) await worker.stop();
  };
  t.teardown(stop);
  for (const worker of workers) await worker.start();

  await until(async () => {
    await clock.advance(2_000);
    return asked.length === 1;
  });
  await pass(33_000);
  await until(() => asked.length === 2);
  for (let seconds = 0; seconds < 38; seconds += 2) {
    await pass(2_000);
    await sleep(20);
  }
  t.is(asked[0], sha256Hex(`${four}\nlast = 5\n`));
  t.is(asked.length, 2, 'one file, and another to see whether the store gives any');
  t.deepEqual(await state(), { attempts: 1, isHeld: true });

  await clock.advance(3_000);
  await until(async () => (await state())?.isHeld === false);
  t.deepEqual(await state(), { attempts: 0, isHeld: false });
  await stop();
  await admin`update similarity_version set next_attempt_at = now() where agent_version_id = ${id}`;
  await work();
  t.is((await reportOf(id))?.unreadable, null);
  t.true((await reportOf(id))?.isReported);
});

test.serial('a miner’s next version adds only what is new in it', async (t) => {
  const count = async () => {
    const [row] = await admin<{ count: number }[]>`
      select count(*)::int as count from similarity_fingerprint`;
    return row?.count ?? 0;
  };
  const before = await count();
  await plant({ hotkey: 'a', text: `${one}\nextra = [1]\n`, minute: 90 });
  await work();

  const added = (await count()) - before;
  t.true(added > 0 && added < 6);
});

test.serial('a worker whose time was up writes nothing over the next one’s', async (t) => {
  const id = await plant({
    hotkey: 'l',
    text: two.slice(0, two.indexOf('def step_1')),
    minute: 95,
  });
  await register();
  const slow = await leaseUnread(sql, 0);
  await work();
  if (slow === undefined) return t.fail('nothing was leased');

  await readVersion({ ...deps(), readCode: async () => undefined }, { ...slow, attempts: 9 });

  const found = await reportOf(id);
  t.is(found?.unreadable, null);
  t.true(found?.isReported);
});

// However many there are: to look for the unknown among all of them, page after page, kept a processor
// at work for as long as anybody looked at a million.
test('versions from before are taken in by one walk along them', async (t) => {
  const { sql: own, url } = await testDatabase();
  const service = createSql({ url, applicationName: 'test', role: 'paddock_service', max: 1 });
  t.teardown(() => closeSql(service));
  const count = 2_000;
  await transaction(own, {}, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
        version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
        required_successes)
      select gen_random_uuid(), 0, gen_random_uuid(), 'a', 'm', 1, 1, 'DISCARDED',
        '2026-11-01'::timestamptz + n / 7 * interval '1 second', 'c', 1, 2
      from generate_series(1, ${count}) n`;
  });
  await own`analyze agent_version`;
  const read = async () => {
    for (const each of [service, own]) await each`select pg_stat_force_next_flush()`;
    await service`select 1`;
    const [row] = await own<{ rows: number }[]>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows
      from pg_stat_user_tables where relname in ('agent_version', 'similarity_version')`;
    return row?.rows ?? 0;
  };

  const before = await read();
  let pages = 0;
  const page = (after: SubmissionPlace) =>
    transaction(service, {}, (tx) => registerVersions(tx, { limit: 100, after }));
  let look: Look = { next: beginning, isAtEnd: false };
  for (; !look.isAtEnd; pages += 1) {
    const found: Look | 'busy' = await page(look.next);
    if (found === 'busy') return t.fail('nobody else is at it');
    look = found;
  }
  const rows = (await read()) - before;

  const [known] = await own`
    select count(*)::integer as count, count(distinct agent_version_id)::integer as versions
    from similarity_version`;
  t.deepEqual(known, { count, versions: count });
  t.true(pages <= count / 100 + 1, `${pages} pages`);
  t.true(rows < 3 * count, `${rows} rows for ${count} versions`);
});
