import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import type { Check, InvariantId, LiveRules } from './checks/check.ts';
import { LiveUnreadable } from './live-unreadable.ts';

/** What became of one check. */
export interface CheckOutcome {
  readonly id: InvariantId;
  readonly rule: string;
  readonly of: string;
  /** Rows of the relation that it looked through. */
  readonly rows: number;
  readonly ms: number;
  readonly violations: readonly object[];
  /** What it could not judge by its rule, in a sentence. */
  readonly unjudged?: string | undefined;
  /** Why it was not made, or not finished. */
  readonly trouble?: 'forbidden' | 'timeout';
}

export interface LiveRun {
  readonly sql: Sql;
  readonly checks: readonly Check[];
  readonly rules: LiveRules;
  readonly statementTimeoutMs: number;
  readonly clock: Clock;
}

/** A reader waits for nobody but a change of the schema, and for that not long. */
const lockTimeoutMs = 100;

/**
 * Makes the checks one after the other, each on a snapshot of its own that it gives up when it is done:
 * a long snapshot would keep the database from tidying up. Reads alone, so nobody waits for it.
 */
export async function* runChecks(run: LiveRun): AsyncGenerator<CheckOutcome> {
  const counts = new Map<string, number>();
  for (const check of run.checks) yield await outcomeOf(check, run, counts);
}

async function outcomeOf(
  check: Check,
  { sql, rules, statementTimeoutMs, clock }: LiveRun,
  counts: Map<string, number>,
): Promise<CheckOutcome> {
  const { id, rule, of } = check;
  const startedMs = clock.monotonicMs();
  const outcome = (rows: number) => ({ id, rule, of, rows, ms: clock.monotonicMs() - startedMs });
  const options = { isolation: 'repeatable read', readOnly: true, statementTimeoutMs } as const;
  try {
    return await transaction(sql, options, async (tx) => {
      await beGentle(tx);
      // The same calls, apart from those that open transactions.
      const reader = tx as unknown as Sql;
      const rows = counts.get(of) ?? (await countOf(reader, of));
      counts.set(of, rows);
      const violations = [...(await check.find(reader, rules))];
      const unjudged = await check.unjudged?.(reader);
      return { ...outcome(rows), violations, unjudged };
    });
  } catch (error) {
    return { ...outcome(0), violations: [], trouble: troubleOf(error) };
  }
}

async function beGentle(tx: Transaction): Promise<void> {
  await tx`
    select set_config('lock_timeout', ${String(lockTimeoutMs)}, true),
      set_config('idle_in_transaction_session_timeout', '60000', true),
      set_config('max_parallel_workers_per_gather', '0', true)`;
}

async function countOf(sql: Sql, relation: string): Promise<number> {
  const [row] = await sql<
    { rows: number }[]
  >`select count(*)::float8 as rows from ${sql(relation)}`;
  return row?.rows ?? 0;
}

/** Anything else is no answer of this database to these questions. */
function troubleOf(error: unknown): 'forbidden' | 'timeout' {
  const code: unknown = Reflect.get(Object(error), 'code');
  if (code === '42501') return 'forbidden';
  // Its own time, or that of a lock which a change of the schema holds.
  if (code === '57014' || code === '55P03') return 'timeout';
  const isOtherSchema = typeof code === 'string' && /^42(?:P01|703|883)$/.test(code);
  const what = isOtherSchema
    ? 'the database has not the schema of this version: run `npm run verify` of the version that serves it'
    : 'the database cannot be read';
  throw new LiveUnreadable(what, { cause: error });
}
