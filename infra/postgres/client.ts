import postgres from 'postgres';
import type { Sql } from '../ports/sql.ts';
import { arrayTypes } from './array-types.ts';
import { ConnectionLost } from './connection-lost.ts';
import { type OpenSession, Sessions } from './sessions.ts';
import { type SocketTarget, type SocketWatch, watchedSocket } from './watched-socket.ts';

export interface SqlOptions {
  readonly url: string;
  /** Connections at most; 8 unless told (one commit in flight per partition, a pool per process). */
  readonly max?: number;
  /** Shown in pg_stat_activity: the member's id and what the pool is for. */
  readonly applicationName: string;
  /** The group role that every connection takes on at once; the login's own rights without it. */
  readonly role?: DatabaseRole;
  readonly statementTimeoutMs?: number;
}

/** What each may do is written in the migrations: the edge reads, the actor calls rt.commit. */
export type DatabaseRole = 'paddock_edge' | 'paddock_actor' | 'paddock_service';

/** Shorter than a member's lease, so that a statement of a dead owner ends before it is missed. */
const statementTimeoutMs = 3_000;
/** A commit or a claim that waits longer gives up; nothing happened, and it is tried again. */
const lockTimeoutMs = 1_000;
const idleInTransactionTimeoutMs = 5_000;

/** Transactions at a time; nearly all work is single statements on the pool. */
const sessionsMax = 4;

type SessionSource = Pick<Sessions, 'end' | 'use'>;

const sessionsByPool = new WeakMap<Sql, SessionSource>();

/** How long a handle's statements are waited for; none for the limit that it was opened with. */
interface Patience {
  statementTimeoutMs: number | undefined;
}

const patienceOf = new WeakMap<Sql, Patience>();

export function createSql(options: SqlOptions): Sql {
  const pool = open(options, { max: options.max ?? 8, onLost: () => undefined });
  const openSession: OpenSession = (onLost) =>
    // Not ended by age in the middle of a transaction, and never connected a second time.
    open(options, { max: 1, max_lifetime: null, onLost, isOnce: true });
  const sessions = new Sessions(openSession, transactionsMax(options.max ?? 8));
  sessionsByPool.set(pool, sessions);
  return pool;
}

/** How many connections a pool of this size may open besides, for transactions. */
export function transactionsMax(poolSize: number): number {
  return Math.min(poolSize, sessionsMax);
}

/** Where `transaction` finds connections of its own beside the pool's. */
export function sessionsOf(pool: Sql): SessionSource {
  const sessions = sessionsByPool.get(pool);
  if (sessions === undefined) throw new Error('a transaction needs a pool made by createSql');
  return sessions;
}

/** For a handle that stands in front of a pool, as the simulator's: where its transactions run. */
export function giveSessions(pool: Sql, sessions: SessionSource): void {
  sessionsByPool.set(pool, sessions);
}

/**
 * Says what the server lets the next statements of this connection take, so that its silence is
 * endured as long; without a time it is the connection's own again.
 */
export function expectStatementsOf(session: Sql, statementTimeoutMs: number | undefined): void {
  const patience = patienceOf.get(session);
  if (patience !== undefined) patience.statementTimeoutMs = statementTimeoutMs;
}

interface Opening {
  readonly max: number;
  readonly max_lifetime?: null;
  readonly onLost: () => void;
  readonly isOnce?: boolean;
}

function open(options: SqlOptions, { onLost, isOnce, ...limits }: Opening): Sql {
  const timeoutMs = options.statementTimeoutMs ?? statementTimeoutMs;
  const patience: Patience = { statementTimeoutMs: undefined };
  const silenceMs = () => 2 * (patience.statementTimeoutMs ?? timeoutMs);
  const pool: unknown = postgres(options.url, {
    ...limits,
    ...socketOption(options.url, { silenceMs, onLost, isOnce: isOnce === true }),
    prepare: true,
    types: arrayTypes,
    fetch_types: false,
    // Seconds; below the silence that a socket endures, or a dead server would be dialled for ever.
    connect_timeout: timeoutMs === 0 ? 3 : Math.min(3, timeoutMs / 1000),
    // Seconds. The library's own grows to 20 s, long after the database is back.
    backoff: (attempt: number) => Math.min(0.02 * 2 ** attempt, 1),
    onnotice: () => undefined,
    transform: { undefined: null },
    connection: {
      application_name: options.applicationName,
      statement_timeout: timeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      synchronous_commit: 'on',
      TimeZone: 'UTC',
      ...(options.role === undefined ? {} : { role: options.role }),
    },
  });
  // The handle's type would name every array type; nobody uses that.
  const sql = pool as Sql;
  patienceOf.set(sql, patience);
  return sql;
}

/**
 * The server ends a statement after its timeout; when nothing was heard after twice that, nobody is
 * there. Not for URLs of several hosts or of a socket file, which the library must choose from.
 */
function socketOption(url: string, how: SocketWatch & { readonly isOnce: boolean }): object {
  const { hostname } = new URL(url);
  if (hostname === '' || hostname.includes(',')) return { onclose: how.onLost };
  let dialled = 0;
  return {
    socket: (target: SocketTarget) => {
      dialled += 1;
      if (how.isOnce && dialled > 1) throw new ConnectionLost();
      return watchedSocket(target, how);
    },
  };
}

/** Ends all connections; running statements get `timeoutMs` to finish. */
export async function closeSql(sql: Sql, timeoutMs = 2_000): Promise<void> {
  const timeout = timeoutMs / 1000;
  await Promise.all([sql.end({ timeout }), sessionsByPool.get(sql)?.end(timeout)]);
}
