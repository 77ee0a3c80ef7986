import postgres from 'postgres';
import type {
  CommitBatch,
  CommitOutcome,
  OwnedBatch,
  ParkedMessage,
  PartitionRef,
  PartitionStore,
  PartitionToken,
  SoftState,
} from '../ports/partition-store.ts';
import type { Sql } from '../ports/sql.ts';
import { redact } from '../telemetry/redact.ts';
import { asError, failureKind, isOutage } from './failure.ts';

/** Partitions commit through rt.commit and rt.commit_all and read their inbox; `sql` runs as paddock_actor. */
export function createPartitionStore(sql: Sql): PartitionStore {
  return {
    commit: (token, batch) => commit(sql, token, batch),
    commitAll: (batches, tell) => commitAll(sql, batches, tell),
    replies: (token, consumer, msgIds) => replies(sql, token, { consumer, msgIds }),
    flush: (part, soft) => flush(sql, part, soft),
    park: (ref, consumer, message) => park(sql, ref, { consumer, message }),
    isOutage,
  };
}

async function commit(sql: Sql, token: PartitionToken, batch: CommitBatch): Promise<CommitOutcome> {
  const { validUntilMs, sizeBytes: _, ...rows } = batch;
  try {
    const [row] = await sql<{ answer: CommitAnswer }[]>`
      select rt.commit(${token.kind}, ${token.part}, ${token.epoch}, ${token.incarnation},
                       ${instant(validUntilMs)}::text::timestamptz,
                       ${sql.json(rows as never)}) as answer`;
    return answered(row?.answer);
  } catch (error) {
    return outcomeOf(error);
  }
}

/** What is true of each of them when it is true of their statement. */
const isOfAll: ReadonlySet<CommitOutcome['kind']> = new Set([
  'committed',
  'ambiguous',
  'unavailable',
]);

type Tell<B> = (batch: B, outcome: CommitOutcome) => void;

/** As one; should anything stand against it, nothing was written, and each by itself hears what it was. */
async function commitAll<B extends OwnedBatch>(
  sql: Sql,
  owned: readonly B[],
  tell: Tell<B>,
): Promise<void> {
  const outcome = owned.length > 1 ? await commitJoined(sql, owned) : undefined;
  if (outcome !== undefined && isOfAll.has(outcome.kind)) {
    for (const each of owned) tell(each, outcome);
    return;
  }
  const refused = outcome?.kind === 'refused' ? owned.filter((each) => isOf(each, outcome)) : [];
  if (outcome === undefined || refused.length === 0) {
    const alone = async (each: B) => tell(each, await commit(sql, each.token, each.batch));
    await Promise.all(owned.map(alone));
    return;
  }
  for (const each of refused) tell(each, outcome);
  // Nothing is known against the others.
  const others = owned.filter((each) => !refused.includes(each));
  await commitAll(sql, others, tell);
}

function isOf(
  { token, batch }: OwnedBatch,
  refused: Extract<CommitOutcome, { kind: 'refused' }>,
): boolean {
  return refused.commands.some(
    ({ id, part = token.part }) =>
      part === token.part && batch.inbox.some(({ msgId }) => msgId === id),
  );
}

async function commitJoined(sql: Sql, owned: readonly OwnedBatch[]): Promise<CommitOutcome> {
  const limits = owned.flatMap(({ batch }) => batch.validUntilMs ?? []);
  const validUntil = instant(limits.length === 0 ? undefined : Math.min(...limits));
  const tokens = owned.map(({ token }) => token);
  try {
    const [row] = await sql<{ answer: CommitAnswer }[]>`
      select rt.commit_all(${tokens[0]?.kind ?? ''}, ${sql.json(tokens as never)},
                           ${validUntil}::text::timestamptz,
                           ${sql.json(joined(owned) as never)}) as answer`;
    return answered(row?.answer);
  } catch (error) {
    return outcomeOf(error);
  }
}

function answered(answer: CommitAnswer | undefined): CommitOutcome {
  const { duplicates } = answer ?? {};
  if (duplicates === undefined) return { kind: 'committed' };
  return { kind: 'duplicates', replies: new Map(duplicates.map((d) => [d.msgId, d.reply])) };
}

function instant(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** One batch, whose rows say which partition they are of. */
function joined(owned: readonly OwnedBatch[]) {
  const rowsOf = (rows: (batch: CommitBatch) => readonly object[]) =>
    owned.flatMap(({ token: { part }, batch }) => rows(batch).map((row) => ({ ...row, part })));
  const names = new Set(owned.flatMap(({ batch }) => Object.keys(batch.operations)));
  return {
    inbox: rowsOf(({ inbox }) => inbox),
    events: owned.flatMap(({ token: { part, epoch }, batch }) =>
      batch.events.map((event) => ({ ...event, part, epoch })),
    ),
    snapshots: rowsOf(({ snapshots }) => snapshots),
    operations: Object.fromEntries(
      [...names].map((name) => [name, rowsOf(({ operations }) => operations[name] ?? [])]),
    ),
    outbox: rowsOf(({ outbox }) => outbox),
  };
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
  // The inbox, the event log and the outbox are keyed by what one owner alone writes: a collision, or
  // a number that is skipped, means that our memory is not what is stored, so it is loaded again.
  const isTaken = error.code === '23505' && error.schema_name === 'rt';
  if (isTaken || error.code === 'P0GAP') return { kind: 'diverged', error };
  const kind = failureKind(error);
  if (kind === 'invalid') return { kind, constraint: error.constraint_name, error };
  return { kind, error };
}

function uncertain(failure: unknown): 'contended' | 'unavailable' | 'ambiguous' {
  const kind = failureKind(failure);
  return kind === 'invalid' ? 'ambiguous' : kind;
}

/** What rt.refuse and rt.refuse_each say. */
interface Refusal {
  readonly cmd?: string;
  readonly part?: number;
  readonly commands?: readonly Pick<Refusal, 'cmd' | 'part'>[];
  readonly code?: string;
  readonly detail?: string;
  readonly extras?: Record<string, unknown>;
}

function refusal(error: postgres.PostgresError): CommitOutcome {
  try {
    const told = JSON.parse(error.detail ?? '') as Refusal;
    return {
      kind: 'refused',
      commands: (told.commands ?? [told]).map(({ cmd, part }) => ({
        id: String(cmd),
        ...(part !== undefined && { part }),
      })),
      code: String(told.code),
      detail: told.detail ?? error.message,
      extras: told.extras ?? {},
    };
  } catch (cause) {
    const broken = new Error(`unreadable refusal: ${error.message}`, { cause });
    return { kind: 'invalid', constraint: undefined, error: broken };
  }
}

async function replies(
  sql: Sql,
  token: PartitionToken,
  wanted: { readonly consumer: string; readonly msgIds: readonly string[] },
): Promise<ReadonlyMap<string, unknown> | 'fenced'> {
  const { kind, part, epoch, incarnation } = token;
  const rows = await sql<{ msg_id: string | null; reply: unknown }[]>`
    select i.msg_id, i.reply
    from rt.partition p
    left join rt.inbox i on i.kind = p.kind and i.part = p.part
      and i.consumer = ${wanted.consumer} and i.msg_id = any(${[...wanted.msgIds]}::text[])
    where p.kind = ${kind} and p.part = ${part}
      and p.epoch = ${epoch} and p.incarnation = ${incarnation}`;
  if (rows.length === 0) return 'fenced';
  return new Map(rows.flatMap(({ msg_id, reply }) => (msg_id === null ? [] : [[msg_id, reply]])));
}

async function flush(sql: Sql, part: number, soft: SoftState): Promise<void> {
  if (soft.table !== 'run_beat') throw new Error(`no flush for table ${soft.table}`);
  await sql`select rt.flush_run_beat(${part}, ${sql.json(soft.rows as never)})`;
}

/** Errors carry what they met: of its texts a look is enough, without the secrets of addresses. */
const errorLengthMax = 1_000;

async function park(
  sql: Sql,
  ref: PartitionRef,
  parked: { readonly consumer: string; readonly message: ParkedMessage },
): Promise<void> {
  const error = String(redact(parked.message.error)).slice(0, errorLengthMax).toWellFormed();
  const message = { ...parked.message, error };
  await sql`
    select rt.park(${ref.kind}, ${ref.part}, ${parked.consumer}, ${sql.json(message as never)})`;
}
