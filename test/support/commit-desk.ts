import { randomUUID } from 'node:crypto';
import type {
  CommitBatch,
  CommitOutcome,
  PartitionToken,
} from '../../infra/ports/partition-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { createMembershipStore } from '../../infra/postgres/membership-store.ts';
import { createPartitionStore } from '../../infra/postgres/partition-store.ts';
import { testDatabase } from './cluster.ts';
import { installCounters } from './counter-kind.ts';

/** Partitions of the counter kind in a database of one's own, to commit to as their owner does. */
export async function openCommitDesk() {
  const { url, sql: admin } = await testDatabase();
  await installCounters(admin, 40);
  const actor = createSql({ url, applicationName: 'actor', role: 'paddock_actor' });
  const store = createPartitionStore(actor);
  let nextPart = 0;

  /** A partition of one's own, claimed by a fresh member. */
  const claimed = (leaseMs?: number) => claimedPart(actor, nextPart++, leaseMs);
  const commit = (token: PartitionToken, what: CommitBatch): Promise<CommitOutcome> =>
    store.commit(token, what);
  const written = (token: PartitionToken) => writtenOf(admin, token);
  return { admin, actor, url, store, claimed, commit, written, close: () => closeSql(actor) };
}

async function claimedPart(actor: Sql, part: number, leaseMs = 60_000) {
  const members = createMembershipStore(actor);
  const join = async (memberId: string, ttlMs = 60_000) => {
    const identity = { memberId: `${memberId}-${part}`, incarnation: randomUUID() };
    await members.join({ ...identity, ttlMs, codeVersion: 1, kinds: ['counter'] });
    return identity;
  };
  const identity = await join('first', leaseMs);
  const ref = { kind: 'counter', part };
  const taken = await members.claim(ref, 0, identity);
  const { incarnation } = identity;
  const token: PartitionToken = { ...ref, epoch: taken?.epoch ?? -1, incarnation };
  return { members, identity, token, join };
}

async function writtenOf(admin: Sql, token: PartitionToken) {
  const [row] = await admin<{ inbox: number; events: number }[]>`
    select (select count(*)::integer from rt.inbox where part = ${token.part}) as inbox,
           (select count(*)::integer from rt.event where part = ${token.part}) as events`;
  return row;
}

export function batch(changes: Partial<CommitBatch> = {}): CommitBatch {
  const msgId = randomUUID();
  return {
    validUntilMs: undefined,
    inbox: [{ consumer: 'cmd', msgId, reply: { kind: 'ok', body: msgId } }],
    events: [],
    snapshots: [],
    operations: {},
    outbox: [],
    sizeBytes: 0,
    ...changes,
  };
}

export const event = (seq: number) => ({
  machine: 'counter',
  key: 'k',
  seq,
  actorKey: 'k',
  type: 'ADDED',
  typeVersion: 1,
  payload: { by: 1 },
  commandId: 'c',
  account: 'tester',
  trace: {},
});
