import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { readVersion, reportNext } from '../../../actors/services/similarity/similarity.actor.ts';
import { leaseUnread } from '../../../actors/services/similarity/store.ts';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { StorageUnavailable } from '../../../infra/object-store/storage-unavailable.ts';
import type { FingerprintedCode } from '../../../infra/ports/code-fingerprints.ts';
import type { Transaction } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { testDatabase } from '../../support/cluster.ts';
import { fingerprinted } from '../../support/fingerprinted.ts';
import { disguised, program, textOf } from '../../support/python-programs.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';

const [victims = '', others = ''] = fc
  .sample(program(3), { numRuns: 2, seed: 9 })
  .map((made) => textOf(made));

/** Registered versions, a minute apart, whose files a store gives or does not. */
async function world(t: ExecutionContext, texts: readonly string[]) {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, max: 2, applicationName: 'test', role: 'paddock_service' });
  t.teardown(() => closeSql(sql));
  const ids = texts.map(() => randomUUID());
  await admin`
    alter table similarity_version drop constraint similarity_version_agent_version_id_fkey`;
  await admin`
    insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at, code_sha256)
    select v.id, 'miner-' || v.n, 'miner-' || v.n,
      '2026-11-01'::timestamptz + v.n * interval '1 minute', v.sha256
    from unnest(${ids}::uuid[], ${texts.map((text) => sha256Hex(text))}::text[])
      with ordinality as v (id, sha256, n)
    order by v.n`;
  const transact = <T>(body: (tx: Transaction) => Promise<T>) => transaction(sql, {}, body);
  const read = async (file: Uint8Array): Promise<FingerprintedCode> => ({
    kind: 'read',
    fingerprints: fingerprinted(Buffer.from(file).toString()),
  });
  const stored = new Map(texts.map((text) => [sha256Hex(text), Buffer.from(text)]));
  const deps = {
    ...{ sql, transact, log: silentLogger },
    readCode: async (sha256: string): Promise<Uint8Array | undefined> => stored.get(sha256),
    fingerprinter: { read, rest: async () => undefined },
  };
  const hasten = () => admin`
    update similarity_version set next_attempt_at = now() where fingerprinted_at is null`;
  return { admin, sql, ids, deps, hasten };
}

type World = Awaited<ReturnType<typeof world>>;

/** What is due is read, and what may be reported on is; answers how many files were tried. */
async function work({ sql }: World, deps: World['deps']): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const held = await leaseUnread(sql, 60_000);
    if (held === undefined) {
      while (await reportNext(deps));
      return tries;
    }
    await readVersion(deps, held);
  }
}

const verdicts = async ({ admin, ids }: World) => {
  const rows = await admin<{ verdict: string | null; unreadable: string | null }[]>`
    select verdict, unreadable from similarity_version
    where agent_version_id = any(${ids}::uuid[]) order by submitted_at`;
  return rows.map(({ verdict, unreadable }) => unreadable ?? verdict);
};

// Three tries within half a minute were all there were: the thief was clean and the victim a copy, for good.
const withheld: readonly [reason: string, withhold: () => Promise<undefined>][] = [
  ['the store does not have the file', async () => undefined],
  [
    'the store does not give the file',
    () => Promise.reject(new StorageUnavailable('the object store cannot be used')),
  ],
];
for (const [reason, withhold] of withheld) {
  test(`${reason} for a while: it counts once it is read`, async (t) => {
    const made = await world(t, [others, victims, disguised(victims), victims]);
    const { deps, hasten } = made;
    const isAway = (sha256: string) => sha256 === sha256Hex(victims);
    const away = (sha256: string) => (isAway(sha256) ? withhold() : deps.readCode(sha256));
    for (let tries = 0; tries < 6; tries += 1) {
      await hasten();
      await work(made, { ...deps, readCode: away });
    }
    t.deepEqual(await verdicts(made), ['clean', reason, 'clean', reason]);
    t.is(await work(made, deps), 0, 'it waits for its next try');

    await hasten();
    await work(made, deps);

    t.deepEqual(await verdicts(made), ['clean', 'clean', 'copy', 'copy']);
  });
}

test('the pauses of what is set aside grow to an hour', async (t) => {
  const made = await world(t, [victims]);
  const { admin, deps, hasten } = made;
  const pauseAt = async (registeredAgo: string) => {
    await admin`update similarity_version set registered_at = now() - ${registeredAgo}::interval`;
    await hasten();
    await work(made, { ...deps, readCode: async () => undefined });
    const [row] = await admin<{ minutes: number }[]>`
      select round(extract(epoch from next_attempt_at - now()) / 60)::integer as minutes
      from similarity_version`;
    return row?.minutes;
  };
  for (let tries = 0; tries < 3; tries += 1) await pauseAt('1 second');

  t.is(await pauseAt('1 second'), 1);
  t.is(await pauseAt('20 minutes'), 20);
  t.is(await pauseAt('3 days'), 60);
});

test('a file that is at fault itself is not tried for ever', async (t) => {
  const made = await world(t, [victims]);
  const { deps, hasten } = made;
  const reason = 'the file is not Python';
  const read = async () => ({ kind: 'unreadable', reason }) as const;
  const broken = { ...deps, fingerprinter: { ...deps.fingerprinter, read } };
  const tries: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await hasten();
    tries.push(await work(made, broken));
  }

  t.deepEqual(tries, [1, 1, 1, 0, 0]);
  t.deepEqual(await verdicts(made), [reason]);
});
