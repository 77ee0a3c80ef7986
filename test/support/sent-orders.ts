import type { ExecutionContext } from 'ava';
import type { Sql } from '../../infra/ports/sql.ts';
import { openRaceDesk, type RaceDesk } from './race-desk.ts';
import { runToStart, seedSuite, seedVersion, seedWork } from './race-seeds.ts';

export interface MeasuredDesk {
  readonly desk: RaceDesk;
  readonly sql: Sql;
  readonly raceId: string;
  readonly deadlineMs: number;
  /** The first of them won. */
  readonly versionIds: readonly [string, string];
  /** A run of the winner that counts. */
  readonly evalRunId: string;
}

/** A race that runs, whose two entrants have all the successes that they need. */
export async function measuredDesk(t: ExecutionContext): Promise<MeasuredDesk> {
  const desk = await openRaceDesk(t);
  const { sql } = desk;
  await seedSuite(sql);
  const versionIds = [
    await seedVersion(sql, { hotkey: 'a' }),
    await seedVersion(sql, { hotkey: 'b' }),
  ] as const;
  const raceId = await runToStart(desk);
  await seedWork(sql, raceId, versionIds[0], { micro: [500_000, 500_000] });
  await seedWork(sql, raceId, versionIds[1], { micro: [400_000, 400_000] });
  const [run] = await sql<{ evalRunId: string }[]>`
    select eval_run_id as "evalRunId" from evaluation_run
    where agent_version_id = ${versionIds[0]} limit 1`;
  const deadlineMs = desk.nextDueMs() ?? 0;
  return { desk, sql, raceId, deadlineMs, versionIds, evalRunId: run?.evalRunId ?? '' };
}

export interface SentOrder {
  readonly kind?: 'eval' | 'race';
  readonly part?: number;
  readonly type: string;
  readonly body: Readonly<Record<string, string | undefined>>;
}

/** As the operator service leaves it behind; a proof says that it was taken, refused, or parked. */
export async function sendOrder(
  sql: Sql,
  { kind = 'eval', part = 0, type, body }: SentOrder,
): Promise<{ readonly take: () => Promise<void> }> {
  const msgId = `svc:${type}:${kind}:${part}`;
  await sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
      headers, body, at, next_at)
    values ('svc', 0, ${msgId}, ${`evt.${kind}.${part}.${type}`}, ${kind}, ${part}, 'evt', '{}',
      ${JSON.stringify(body)}::text::jsonb, rt.clock(), rt.clock())`;
  return {
    take: async () => {
      await sql`
        insert into rt.inbox (kind, part, consumer, msg_id, at)
        values (${kind}, ${part}, 'evt', ${msgId}, rt.clock())`;
    },
  };
}

export interface AuditedOrder {
  readonly action: string;
  readonly object: string;
  readonly atMs: number;
}

/** What an order leaves behind for good. */
export async function auditOrder(sql: Sql, { action, object, atMs }: AuditedOrder): Promise<void> {
  await sql`
    insert into audit_log (seq, actor, action, object, detail, prev_hash, hash, committed_at)
    select coalesce(max(seq), 0) + 1, 'test', ${action}, ${object}, '{}', '', '', ${new Date(atMs)}
    from audit_log`;
}
