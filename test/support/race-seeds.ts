import { randomUUID } from 'node:crypto';
import type { Sql } from '../../infra/ports/sql.ts';
import { hourMs, minuteMs, type RaceDesk, startMs } from './race-desk.ts';

const packSha256 = 'ab'.repeat(32);

export interface SeedSuite {
  /** Tasks of the pack; those at even places qualify. */
  readonly taskCount?: number;
  readonly isActive?: boolean;
  readonly kind?: 'envpack' | 'legacy_benchmark';
}

/** The next suite. Suite 1, 5, 9 … belong to race partition 1. */
export async function seedSuite(sql: Sql, seed: SeedSuite = {}): Promise<number> {
  const { taskCount = 12, isActive = true, kind = 'envpack' } = seed;
  const pack = kind === 'envpack' ? packSha256 : null;
  const [suite] = await sql<{ suiteId: number }[]>`
    insert into suite (suite_version, is_active, execution_kind, benchmark_name, benchmark_number,
                       env_pack_sha256, environment, qualifying_threshold,
                       required_successes_qualifying, required_successes_race, created_at,
                       created_threshold, created_successes_qualifying, created_successes_race)
    select coalesce(max(suite_version), 0) + 1, ${isActive}, ${kind}, 'shop', 1, ${pack}, '{}', 0.55,
           2, 2, now(), 0.55, 2, 2
    from suite
    returning suite_id as "suiteId"`;
  const suiteId = suite?.suiteId ?? 0;
  if (kind === 'legacy_benchmark') await seedProblems(sql, suiteId, taskCount);
  else await seedTasks(sql, suiteId, taskCount);
  return suiteId;
}

/** By an order of that instant, or of none that is known. */
export async function switchTo(sql: Sql, suiteId: number, atMs?: number): Promise<void> {
  const at = atMs === undefined ? null : new Date(atMs);
  await sql`update suite set is_active = false where is_active and suite_id <> ${suiteId}`;
  await sql`update suite set is_active = true, activated_at = ${at} where suite_id = ${suiteId}`;
}

async function seedTasks(sql: Sql, suiteId: number, taskCount: number): Promise<void> {
  await sql`
    insert into pack (pack_sha256, size_bytes, manifest, task_count, family_counts, created_at)
    values (${packSha256}, 1, '{}', ${taskCount}, '{}', now()) on conflict do nothing`;
  await sql`
    insert into pack_task (pack_sha256, ordinal, task_id, family, goal_text)
    select ${packSha256}, n, 'task-' || n, 'family-' || (n / 2) % 3, 'buy'
    from generate_series(0, ${taskCount - 1}::int) as n on conflict do nothing`;
  await sql`
    insert into suite_problem (suite_id, phase, ordinal, problem_id, task_id, family, metadata)
    select ${suiteId}, 'QUALIFYING', ordinal, gen_random_uuid(), task_id, family, '{}'
    from pack_task where ordinal % 2 = 0`;
}

async function seedProblems(sql: Sql, suiteId: number, count: number): Promise<void> {
  await sql`
    insert into suite_problem (suite_id, phase, ordinal, problem_id, metadata)
    select ${suiteId}, phase, n, gen_random_uuid(), '{}'
    from generate_series(0, ${count - 1}::int) as n,
      unnest(array['QUALIFYING', 'RACE']) as phase`;
}

export interface SeedVersion {
  readonly suiteId?: number;
  readonly hotkey: string;
  readonly state?: string;
  readonly score?: string;
  readonly isEliminated?: boolean;
}

/** A version of an agent of its own, submitted long ago. */
export async function seedVersion(sql: Sql, seed: SeedVersion): Promise<string> {
  const { suiteId = 1, hotkey, state = 'ELIGIBLE', score = '0.7000', isEliminated = false } = seed;
  const agentVersionId = randomUUID();
  const agentId = randomUUID();
  const eliminatedAt = isEliminated ? new Date(startMs) : null;
  await sql`insert into miner (hotkey) values (${hotkey}) on conflict do nothing`;
  await sql`
    insert into agent (agent_id, miner_hotkey, agent_name, created_at)
    values (${agentId}, ${hotkey}, ${agentId}, now())`;
  await sql`
    insert into agent_version (agent_version_id, part, agent_id, agent_name, miner_hotkey,
      version_number, suite_id, state, submitted_at, code_sha256, code_size_bytes, qualifying_score,
      eliminated_at, required_successes)
    values (${agentVersionId}, 0, ${agentId}, ${agentId}, ${hotkey}, 1, ${suiteId}, ${state},
      '2026-07-01', ${'c'.repeat(64)}, 1, ${state === 'ELIGIBLE' ? score : null}, ${eliminatedAt}, 2)`;
  return agentVersionId;
}

export async function pin(sql: Sql, hotkey: string, agentVersionId: string): Promise<void> {
  await sql`
    insert into race_pin (miner_hotkey, agent_version_id, pinned_at)
    values (${hotkey}, ${agentVersionId}, now())
    on conflict (miner_hotkey) do update set agent_version_id = excluded.agent_version_id`;
}

export async function ban(sql: Sql, hotkey: string): Promise<void> {
  await sql`
    insert into hotkey_ban (hotkey, reason, banned_at) values (${hotkey}, 'test', now())`;
}

export async function discard(sql: Sql, agentVersionId: string): Promise<void> {
  await sql`
    update agent_version set state = 'DISCARDED', discarded_at = now()
    where agent_version_id = ${agentVersionId}`;
}

/** What evaluation made of an entrant: two successes, a fault of its own, or nothing yet. */
export type Work =
  | { readonly micro: readonly number[] }
  | 'agent-fault'
  | 'open'
  | 'platform-fault';

/** RACE work as the eval partitions leave it. */
export async function seedWork(
  sql: Sql,
  raceId: string,
  agentVersionId: string,
  work: Work,
): Promise<void> {
  const workItemId = randomUUID();
  const state = work === 'open' ? 'OPEN' : work === 'agent-fault' ? 'CANCELLED' : 'CLOSED';
  await sql`
    insert into work_item (work_item_id, part, agent_version_id, miner_hotkey, suite_id, phase,
                           race_id, state, required_successes, queued_at, queue_order_at,
                           closed_at)
    select ${workItemId}, part, agent_version_id, miner_hotkey, suite_id, 'RACE', ${raceId}, ${state},
           2, now(), now(), case when ${state !== 'OPEN'} then now() end
    from agent_version where agent_version_id = ${agentVersionId}`;
  if (work === 'open') return;
  const runs = typeof work === 'object' ? work.micro : [null];
  for (const [index, micro] of runs.entries()) {
    const failureClass = work === 'agent-fault' ? 'AGENT' : 'PLATFORM';
    await sql`
      insert into evaluation_run (eval_run_id, part, work_item_id, agent_version_id, suite_id, phase,
        race_id, execution_kind, validator_hotkey, slot, fence, status, is_included, score_micro,
        failure_class, claimed_at, lease_expires_at, completed_at, expected_items)
      select ${randomUUID()}, part, ${workItemId}, agent_version_id, suite_id, 'RACE', ${raceId},
        'envpack', ${`validator-${index}`}, 0, ${index + 1},
        ${micro === null ? 'FAILED' : 'SUCCESS'}, ${micro !== null}, ${micro},
        ${micro === null ? failureClass : null}, now(), now(), now(), 0
      from agent_version where agent_version_id = ${agentVersionId}`;
  }
}

export interface RaceRow {
  readonly raceId: string;
  readonly suiteId: number;
  readonly raceNumber: number;
  readonly status: string;
  readonly cancelReason: string | null;
  readonly closesAtMs: number;
  readonly qualifierCount: number;
  readonly scoredCount: number;
  readonly winnerId: string | null;
  readonly promotedId: string | null;
}

/** By suite and number. */
export async function races(sql: Sql): Promise<readonly RaceRow[]> {
  return await sql<RaceRow[]>`
    select race_id as "raceId", suite_id as "suiteId", race_number as "raceNumber", status,
           cancel_reason as "cancelReason", rt.milliseconds(qualifying_closes_at)::float8 as "closesAtMs",
           qualifier_count as "qualifierCount", scored_count as "scoredCount",
           winner_agent_version_id as "winnerId", promoted_agent_version_id as "promotedId"
    from race order by suite_id, race_number`;
}

export async function raceAt(sql: Sql, raceNumber: number, suiteId = 1): Promise<RaceRow> {
  const row = (await races(sql)).find(
    (race) => race.suiteId === suiteId && race.raceNumber === raceNumber,
  );
  if (row === undefined) throw new Error(`no race ${raceNumber}`);
  return row;
}

export async function facts(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select replace(subject, 'fact.', '') as name from rt.outbox
    where subject like 'fact.%' order by at, name`;
  return rows.map(({ name }) => name);
}

/** Opens the first race, closes it at noon with the versions that stand ready, and starts it. */
export async function runToStart(desk: RaceDesk, raceNumber = 1): Promise<string> {
  if (raceNumber === 1) await desk.send('suite-activated', { suiteId: 1 });
  const { raceId, closesAtMs } = await raceAt(desk.sql, raceNumber);
  desk.nowMs = closesAtMs;
  await desk.tick();
  desk.nowMs += minuteMs;
  return raceId;
}

/** Ends a running race with work as given, an hour after it started. */
export async function runToEnd(
  desk: RaceDesk,
  raceId: string,
  work: ReadonlyMap<string, Work>,
): Promise<void> {
  for (const [versionId, each] of work) await seedWork(desk.sql, raceId, versionId, each);
  desk.nowMs += hourMs;
  const [agentVersionId] = work.keys();
  await desk.send('work-changed', { raceId, agentVersionId });
}
