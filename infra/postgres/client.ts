import type { Duplex } from 'node:stream';
import postgres from 'postgres';
import type { Sql } from '../ports/sql.ts';
import { arrayTypes } from './array-types.ts';
import { ConnectionLost } from './connection-lost.ts';
import { asError, failureKind } from './failure.ts';
import { NotConnected } from './not-connected.ts';
import { placeOf, Servers } from './servers.ts';
import { type OpenSession, Sessions } from './sessions.ts';
import { failedSocket, type SocketWatch, watchedSocket } from './watched-socket.ts';
import { answerWhole } from './whole-answers.ts';

export interface SqlOptions {
  readonly url: string;
  /** Connections at most; 8 unless told (one commit in flight per partition, a pool per process). */
  readonly max?: number;
  /** Shown in pg_stat_activity: the member's id and what the pool is for. */
  readonly applicationName: string;
  /** The group role that every connection takes on at once; the login's own rights without it. */
  readonly role?: DatabaseRole;
  readonly statementTimeoutMs?: number;
  /**
   * Its statements find what they need by index, and few rows of it: they are planned so, once and for
   * all values, whatever the planner believes of the tables. A fresh database knows nothing of them, and
   * what it knows later makes it plan anew for longer than the statement takes.
   */
  readonly isByIndex?: boolean;
}

/** What each may do is written in the migrations: the edge reads, the actor calls rt.commit. */
export type DatabaseRole = 'paddock_edge' | 'paddock_actor' | 'paddock_service';

/** Shorter than a member's lease, so that a statement of a dead owner ends before it is missed. */
const statementTimeoutMs = 3_000;
/** A commit or a claim that waits longer gives up; nothing happened, and it is tried again. */
const lockTimeoutMs = 1_000;
const idleInTransactionTimeoutMs = 5_000;

/** What is in the order of an index is read in it, and no more of it than is asked for. */
const plannedByIndex = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

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
  const servers = serversOf(options);
  const pool = open(options, { servers, max: options.max ?? 8, onLost: () => undefined });
  const openSession: OpenSession = (onLost) =>
    // Not ended by age in the middle of a transaction, and never connected a second time.
    open(options, { servers, max: 1, max_lifetime: null, onLost, isOnce: true });
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
  /** None for a socket file, which the library finds by itself. */
  readonly servers: Servers | undefined;
  readonly max: number;
  readonly max_lifetime?: null;
  readonly onLost: () => void;
  readonly isOnce?: boolean;
}

function serversOf(options: SqlOptions): Servers | undefined {
  const place = placeOf(options.url);
  if (place === undefined) return undefined;
  return new Servers(place, async (servers) => {
    const sql = open(options, { servers, max: 1, onLost: () => undefined });
    try {
      const [row] = await sql<{ is_read_only: boolean }[]>`
        select current_setting('transaction_read_only')::boolean as is_read_only`;
      return row?.is_read_only === false;
    } finally {
      await sql.end({ timeout: 0 });
    }
  });
}

function open(options: SqlOptions, { servers, onLost, isOnce, ...limits }: Opening): Sql {
  const timeoutMs = options.statementTimeoutMs ?? statementTimeoutMs;
  // Below the silence that a socket endures, or a dead server would be dialled for ever.
  const dialMs = timeoutMs === 0 ? 3_000 : Math.min(3_000, timeoutMs);
  const patience: Patience = { statementTimeoutMs: undefined };
  // The server ends a statement after its timeout; who says nothing for twice that is not there.
  const silenceMs = () => 2 * (patience.statementTimeoutMs ?? timeoutMs);
  const line: Line = { silenceMs, onLost, dialMs, isOnce: isOnce === true, hasEnded: false };
  const pool = postgres(options.url, {
    ...limits,
    ...(servers === undefined ? { onclose: onLost } : socketOptions(servers, line)),
    prepare: true,
    types: arrayTypes,
    fetch_types: false,
    // Seconds.
    connect_timeout: dialMs / 1000,
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
      ...(options.isByIndex === true ? plannedByIndex : {}),
    },
  });
  answerWhole(pool);
  const end = pool.end.bind(pool);
  pool.end = (howLong) =>
    end(howLong).finally(() => {
      line.hasEnded = true;
    });
  // The handle's type would name every array type; nobody uses that.
  const sql = pool as unknown as Sql;
  patienceOf.set(sql, patience);
  return sql;
}

interface Line extends SocketWatch {
  readonly dialMs: number;
  readonly isOnce: boolean;
  hasEnded: boolean;
}

/** The library is told of one server and of no encryption: it gets lines that are ready to be used. */
function socketOptions(servers: Servers, line: Line): object {
  const { host, port } = servers.first;
  let dialled = 0;
  const made = async () => {
    dialled += 1;
    if (line.isOnce && dialled > 1) throw new ConnectionLost();
    const socket = await servers.dial(line.dialMs);
    if (!line.hasEnded) return watchedSocket(socket, line);
    // The library would keep it open for ever.
    socket.destroy();
    throw new ConnectionLost();
  };
  return { host: [host], port: [port], ssl: false, socket: () => made().catch(notMade) };
}

/** What kept a line from being made has cost nobody a statement, whatever it was. */
function notMade(error: unknown): Duplex {
  const isCertain = error instanceof ConnectionLost || failureKind(error) === 'unavailable';
  if (isCertain) return failedSocket(error);
  const cause = asError(error);
  const isTrusted = !/CERT|SIGNATURE|ALTNAME|HOSTNAME/.test(String(Reflect.get(cause, 'code')));
  return failedSocket(new NotConnected(cause.message, { cause, isTrusted }));
}

/** Ends all connections; running statements get `timeoutMs` to finish. */
export async function closeSql(sql: Sql, timeoutMs = 2_000): Promise<void> {
  const timeout = timeoutMs / 1000;
  await Promise.all([sql.end({ timeout }), sessionsByPool.get(sql)?.end(timeout)]);
}
