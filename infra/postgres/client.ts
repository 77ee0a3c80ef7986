import postgres from 'postgres';
import type { Sql } from '../ports/sql.ts';
import { type SocketTarget, watchedSocket } from './watched-socket.ts';

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

export function createSql(options: SqlOptions): Sql {
  const timeoutMs = options.statementTimeoutMs ?? statementTimeoutMs;
  return postgres(options.url, {
    ...socketOption(options.url, timeoutMs),
    max: options.max ?? 8,
    prepare: true,
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
}

/**
 * The server ends a statement after its timeout; when nothing was heard after twice that, nobody is
 * there. Not for URLs of several hosts or of a socket file, which the library must choose from.
 */
function socketOption(url: string, timeoutMs: number): object {
  const { hostname } = new URL(url);
  if (timeoutMs === 0 || hostname === '' || hostname.includes(',')) return {};
  return { socket: (target: SocketTarget) => watchedSocket(target, 2 * timeoutMs) };
}

/** Ends all connections; running statements get `timeoutMs` to finish. */
export async function closeSql(sql: Sql, timeoutMs = 2_000): Promise<void> {
  await sql.end({ timeout: timeoutMs / 1000 });
}
