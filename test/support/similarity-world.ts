import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import {
  readVersion,
  reportNext,
  reportNextAgain,
} from '../../actors/services/similarity/similarity.actor.ts';
import { leaseUnread } from '../../actors/services/similarity/store.ts';
import { sha256Hex } from '../../infra/ids/ids.ts';
import type { FingerprintedCode } from '../../infra/ports/code-fingerprints.ts';
import type { Sql, Transaction } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { testDatabase } from './cluster.ts';
import { fingerprinted } from './fingerprinted.ts';
import { silentLogger } from './silent-telemetry.ts';

/** Registered versions, two minutes apart, whose files a store gives or does not. */
export async function similarityWorld(t: ExecutionContext, texts: readonly string[]) {
  const { sql: admin, url } = await testDatabase(t);
  const sql = createSql({ url, max: 3, applicationName: 'test', role: 'paddock_service' });
  t.teardown(() => closeSql(sql));
  const ids = texts.map(() => randomUUID());
  const minutes = texts.map((_, index) => 2 * index + 2);
  await plantVersions(admin, { ids, texts, minutes });
  await admin`
    insert into similarity_version (agent_version_id, miner_hotkey, author, submitted_at, code_sha256)
    select agent_version_id, miner_hotkey, miner_hotkey, submitted_at, code_sha256
    from agent_version
    order by submitted_at`;
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

export type SimilarityWorld = Awaited<ReturnType<typeof similarityWorld>>;

/** As accepted, each by a miner of its own, and not yet known to whoever compares. */
export async function plantVersions(
  admin: Sql,
  of: {
    readonly ids: readonly string[];
    readonly texts: readonly string[];
    /** At which each was submitted. */
    readonly minutes: readonly number[];
  },
): Promise<void> {
  await transaction(admin, {}, async (tx) => {
    // Without their agents and the suite.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
        version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes,
        required_successes)
      select v.id, 0, v.id, 'agent', 'miner-' || v.minute, 1, 1, 'DISCARDED',
        '2026-11-01'::timestamptz + v.minute * interval '1 minute', v.sha256, 1, 2
      from unnest(${of.ids}::uuid[], ${of.texts.map((text) => sha256Hex(text))}::text[],
        ${of.minutes}::integer[]) as v (id, sha256, minute)`;
  });
}

/** What is due is read, and what may be reported on is; answers how many files were tried. */
export async function lookAtAll(
  { sql }: SimilarityWorld,
  deps: SimilarityWorld['deps'],
): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    const held = await leaseUnread(sql, 60_000);
    if (held === undefined) {
      while ((await reportNext(deps)) || (await reportNextAgain(deps)));
      return tries;
    }
    await readVersion(deps, held);
  }
}

/** In the order of submission; why there is none, where it is known. */
export async function verdictsOf({ admin, ids }: SimilarityWorld) {
  const rows = await admin<{ verdict: string | null; unreadable: string | null }[]>`
    select verdict, unreadable from similarity_version
    where agent_version_id = any(${ids}::uuid[]) order by submitted_at`;
  return rows.map(({ verdict, unreadable }) => unreadable ?? verdict);
}
