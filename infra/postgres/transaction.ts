import type { Sql, Transaction } from '../ports/sql.ts';
import { expectStatementsOf, sessionsOf } from './client.ts';
import { ConnectionLost } from './connection-lost.ts';
import type { Session } from './sessions.ts';

/** A silence is endured twice as long: once more than an edge waits for an answer before it asks again. */
const beginMs = 2_000;

export interface TransactionOptions {
  /** `read committed` unless told: each statement sees what was committed before it began. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  readonly statementTimeoutMs?: number;
}

/**
 * The one place where a transaction is opened, so that isolation and timeouts are never forgotten.
 * Not for partitions: theirs is a single call of rt.commit, whose locks cannot outlive it.
 */
export async function transaction<T>(
  sql: Sql,
  options: TransactionOptions,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  // A body that failed is the caller's affair; a session whose rollback failed is not used again.
  return resultOf(await sessionsOf(sql).use((session) => attempt(session, options, body)));
}

/** For a caller that has a session to itself, and on it what a transaction must not outlive. */
export async function transactionOn<T>(
  session: Session,
  options: TransactionOptions,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return resultOf(await attempt(session, options, body));
}

function resultOf<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** Throws when the session is not fit for another transaction. */
async function attempt<T>(
  session: Session,
  options: TransactionOptions,
  body: (tx: Transaction) => Promise<T>,
): Promise<Outcome<T>> {
  const isolation = options.isolation ?? 'read committed';
  const access = options.readOnly === true ? 'read only' : 'read write';
  const { statementTimeoutMs } = options;
  // It waits for nothing: a line that was dead before it is not endured as long as a statement may take.
  expectStatementsOf(session.sql, statementTimeoutMs && Math.min(beginMs, statementTimeoutMs));
  await session.sql.unsafe(`begin isolation level ${isolation} ${access}`);
  expectStatementsOf(session.sql, statementTimeoutMs);
  try {
    const tx = within(session);
    if (statementTimeoutMs !== undefined) {
      await tx`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true)`;
    }
    const value = await body(tx);
    requireAlive(session);
    const { command } = await session.sql.unsafe('commit');
    // A failed statement that the body swallowed: the server takes everything back and says so.
    if (command !== 'COMMIT') throw new Error('a failed statement had the transaction taken back');
    return { value };
  } catch (error) {
    if (session.isLost) throw error;
    const rolledBack = await session.sql.unsafe('rollback').then(Boolean, () => false);
    if (!rolledBack) throw error;
    return { error };
  }
}

/** The session's statements, none of which is begun on a connection that is gone. */
function within(session: Session): Transaction {
  const call = (...args: unknown[]) => {
    requireAlive(session);
    return Reflect.apply(session.sql, undefined, args);
  };
  return new Proxy(call, {
    get: (_, key) => {
      requireAlive(session);
      return Reflect.get(session.sql, key);
    },
  }) as unknown as Transaction;
}

function requireAlive(session: Session): void {
  if (session.isLost) throw new ConnectionLost();
}
