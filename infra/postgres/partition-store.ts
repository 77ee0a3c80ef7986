import postgres from 'postgres';
import type {
  CommitBatch,
  CommitOutcome,
  ParkedMessage,
  PartitionRef,
  PartitionStore,
  PartitionToken,
  SoftState,
} from '../ports/partition-store.ts';
import type { Sql } from '../ports/sql.ts';
import { asError, failureKind, isOutage } from './failure.ts';

/** Partitions commit through rt.commit and read their own inbox; `sql` runs as paddock_actor. */
export function createPartitionStore(sql: Sql): PartitionStore {
  return {
    commit: (token, batch) => commit(sql, token, batch),
    replies: (ref, consumer, msgIds) => replies(sql, ref, { consumer, msgIds }),
    flush: (part, soft) => flush(sql, part, soft),
    park: (ref, consumer, message) => park(sql, ref, { consumer, message }),
    isOutage,
  };
}

async function commit(sql: Sql, token: PartitionToken, batch: CommitBatch): Promise<CommitOutcome> {
  const { validUntilMs, ...rows } = batch;
  const validUntil = validUntilMs === undefined ? null : new Date(validUntilMs).toISOString();
  try {
    const [row] = await sql<{ answer: CommitAnswer }[]>`
      select rt.commit(${token.kind}, ${token.part}, ${token.epoch}, ${token.incarnation},
                       ${validUntil}::text::timestamptz, ${sql.json(rows as never)}) as answer`;
    const duplicates = row?.answer.duplicates;
    if (duplicates === undefined) return { kind: 'committed' };
    return { kind: 'duplicates', replies: new Map(duplicates.map((d) => [d.msgId, d.reply])) };
  } catch (error) {
    return outcomeOf(error);
  }
}

interface CommitAnswer {
  readonly at: number;
  readonly duplicates?: readonly { readonly msgId: string; readonly reply: unknown }[];
}

function outcomeOf(failure: unknown): CommitOutcome {
  const error = asError(failure);
  if (!(error instanceof postgres.PostgresError)) return { kind: uncertain(failure), error };
  if (error.code === 'P0FEN') return { kind: 'fenced' };
  if (error.code === 'P0EXP') return { kind: 'lease-passed', nowMs: Number(error.detail) };
  if (error.code === 'P0REJ') return refusal(error);
  // The inbox, the event log and the outbox are keyed by what one owner alone writes: a collision
  // means that our memory is not what is stored, so it is loaded again.
  if (error.code === '23505' && error.schema_name === 'rt') return { kind: 'diverged', error };
  const kind = failureKind(error);
  if (kind === 'invalid') return { kind, constraint: error.constraint_name, error };
  return { kind, error };
}

function uncertain(failure: unknown): 'contended' | 'unavailable' | 'ambiguous' {
  const kind = failureKind(failure);
  return kind === 'invalid' ? 'ambiguous' : kind;
}

function refusal(error: postgres.PostgresError): CommitOutcome {
  try {
    const told = JSON.parse(error.detail ?? '') as Record<string, unknown>;
    return {
      kind: 'refused',
      commandId: String(told['cmd']),
      code: String(told['code']),
      detail: String(told['detail'] ?? error.message),
      extras: (told['extras'] ?? {}) as Record<string, unknown>,
    };
  } catch (cause) {
    const broken = new Error(`unreadable refusal: ${error.message}`, { cause });
    return { kind: 'invalid', constraint: undefined, error: broken };
  }
}

async function replies(
  sql: Sql,
  ref: PartitionRef,
  wanted: { readonly consumer: string; readonly msgIds: readonly string[] },
): Promise<Map<string, unknown>> {
  const rows = await sql<{ msg_id: string; reply: unknown }[]>`
    select msg_id, reply
    from rt.inbox
    where kind = ${ref.kind} and part = ${ref.part} and consumer = ${wanted.consumer}
      and msg_id = any(${[...wanted.msgIds]}::text[])`;
  return new Map(rows.map((row) => [row.msg_id, row.reply]));
}

async function flush(sql: Sql, part: number, soft: SoftState): Promise<void> {
  if (soft.table !== 'run_beat') throw new Error(`no flush for table ${soft.table}`);
  await sql`select rt.flush_run_beat(${part}, ${sql.json(soft.rows as never)})`;
}

async function park(
  sql: Sql,
  ref: PartitionRef,
  parked: { readonly consumer: string; readonly message: ParkedMessage },
): Promise<void> {
  await sql`
    select rt.park(${ref.kind}, ${ref.part}, ${parked.consumer}, ${sql.json(parked.message as never)})`;
}
