import type { Fragment, Sql } from '../../../infra/ports/sql.ts';

export interface VersionRow {
  readonly agentVersionId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly suiteId: number;
  readonly submittedAt: Date;
  readonly state: string;
  readonly qualifyingScore: string | null;
  readonly finalScore: string | null;
  readonly eligibleAt: Date | null;
  readonly eliminatedAt: Date | null;
  readonly eliminatedInRaceNumber: number | null;
  readonly discardReason: string | null;
  readonly includedSuccessCount: number;
  readonly requiredSuccesses: number;
  readonly liveRunCount: number;
  readonly failedRunCount: number;
  readonly staleRunCount: number;
  readonly consecutiveAgentFailures: number;
  readonly isMinerBanned: boolean;
}

const columns = (sql: Sql) => sql`
  v.agent_version_id as "agentVersionId",
  v.agent_id as "agentId",
  v.agent_name as "agentName",
  v.miner_hotkey as "minerHotkey",
  v.version_number as "versionNumber",
  v.suite_id as "suiteId",
  v.submitted_at as "submittedAt",
  v.state,
  v.qualifying_score as "qualifyingScore",
  v.final_score as "finalScore",
  v.eligible_at as "eligibleAt",
  v.eliminated_at as "eliminatedAt",
  v.eliminated_in_race_number as "eliminatedInRaceNumber",
  v.discard_reason as "discardReason",
  v.included_success_count as "includedSuccessCount",
  v.required_successes as "requiredSuccesses",
  v.live_run_count as "liveRunCount",
  v.failed_run_count as "failedRunCount",
  v.stale_run_count as "staleRunCount",
  v.consecutive_agent_failures as "consecutiveAgentFailures",
  b.hotkey is not null as "isMinerBanned"`;

const source = (sql: Sql) => sql`
  agent_version v
  left join hotkey_ban b on b.hotkey = v.miner_hotkey`;

export async function versionById(sql: Sql, id: string): Promise<VersionRow | undefined> {
  const [row] = await sql<VersionRow[]>`
    select ${columns(sql)}
    from ${source(sql)}
    where v.agent_version_id = ${id}`;
  return row;
}

/** Newest first. */
export async function versionsOfAgent(sql: Sql, agentId: string): Promise<readonly VersionRow[]> {
  return await sql<VersionRow[]>`
    select ${columns(sql)}
    from ${source(sql)}
    where v.agent_id = ${agentId}
    order by v.version_number desc`;
}

export interface AgentRow {
  readonly agentId: string;
  readonly minerHotkey: string;
  readonly agentName: string;
  readonly createdAt: Date;
}

/** Newest first. */
export async function agentsOfMiner(sql: Sql, hotkey: string): Promise<readonly AgentRow[]> {
  return await sql<AgentRow[]>`
    select agent_id as "agentId", miner_hotkey as "minerHotkey", agent_name as "agentName",
      created_at as "createdAt"
    from agent
    where miner_hotkey = ${hotkey}
    order by created_at desc, agent_id`;
}

/** The latest version of each agent of a miner. */
export async function latestVersionsOfMiner(
  sql: Sql,
  hotkey: string,
): Promise<readonly VersionRow[]> {
  return await sql<VersionRow[]>`
    select ${columns(sql)}
    from agent a
    cross join lateral (
      select x.agent_version_id
      from agent_version x
      where x.agent_id = a.agent_id
      order by x.version_number desc
      limit 1
    ) newest
    join (${source(sql)}) on v.agent_version_id = newest.agent_version_id
    where a.miner_hotkey = ${hotkey}
    order by v.agent_id`;
}

export interface CooldownRow {
  /** Null when the hotkey may submit now. */
  readonly nextAllowedAt: Date | null;
  readonly remainingSeconds: number;
}

/** The cooldown as the database's clock sees it; advice, since the commit checks again under a lock. */
export async function cooldownOf(sql: Sql, hotkey: string): Promise<CooldownRow> {
  const [row] = await sql<CooldownRow[]>`
    select next_allowed_at as "nextAllowedAt",
      ceil(extract(epoch from next_allowed_at - rt.clock()))::int as "remainingSeconds"
    from miner
    where hotkey = ${hotkey} and next_allowed_at > rt.clock()`;
  return row ?? { nextAllowedAt: null, remainingSeconds: 0 };
}

/** A query of when, `at`, the version was submitted. */
export function submittedAt(sql: Sql, agentVersionId: string): Fragment {
  return sql`
    select v.submitted_at as at from agent_version v where v.agent_version_id = ${agentVersionId}`;
}

export interface TimelineRow {
  /** When it was decided, as the rows of runs and versions have it. */
  readonly at: Date;
  /** By the clock of the database, which no owner's is ahead of. */
  readonly committedAt: Date;
  readonly machine: string;
  readonly key: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** RACE for what happened to a race's run or work item, with the state of that race. */
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceStatus: string | null;
  readonly raceReleasedAt: Date | null;
  readonly raceCancelledAt: Date | null;
  readonly nowMs: number;
}

/**
 * What happened to a version, oldest first; the newest 500 where there are more. Work that judges its
 * runs again is an operator's, the runs are the version's.
 *
 * The facts of one command were decided at one instant, which some of them carry. Of a command without any it
 * is the commit's; but commits take what was decided together, so it is before what came of the same thing next,
 * and not before what came of it last. What came of one thing is one after the other.
 */
export async function timelineOf(
  sql: Sql,
  agentVersionId: string,
): Promise<readonly TimelineRow[]> {
  return await sql<TimelineRow[]>`
    with newest as (
      select at, machine, key, seq, type, payload, command_id,
        timestamptz 'epoch' + interval '1 millisecond'
          * coalesce(payload ->> 'at', payload #>> '{version,submittedAt}')::float8 as own
      from rt.event
      where actor_key = ${agentVersionId} and not (machine = 'work-item' and key in (
        select work_item_id::text from work_item
        where agent_version_id = ${agentVersionId} and rejudging_id is not null))
      order by at desc, machine desc, key desc, seq desc
      limit 500
    ), followed as (
      select n.*, min(n.own) over (
        partition by n.machine, n.key order by n.seq
        rows between 1 following and unbounded following) - interval '1 millisecond' as latest
      from newest n
    ), dated as (
      select f.at as committed_at, f.machine, f.key, f.seq, f.type, f.payload, coalesce(
        f.own, max(f.own) over command, least(f.at, min(f.latest) over command)) as at
      from followed f
      window command as (partition by f.command_id, f.at)
    ), decided as (
      select d.committed_at, d.machine, d.key, d.seq, d.type, d.payload,
        max(d.at) over (partition by d.machine, d.key order by d.seq) as at
      from dated d
    )
    select e.at, e.committed_at as "committedAt", e.machine, e.key, e.type, e.payload,
      case when work.race_id is null then 'QUALIFYING' else 'RACE' end as phase,
      race.status as "raceStatus", race.released_at as "raceReleasedAt",
      race.cancelled_at as "raceCancelledAt",
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"
    from decided e
    -- Joined, the runs of the version would be read, which are more than what is told of them. The offset keeps
    -- one look from being made two.
    cross join lateral (
      select case e.machine
        when 'evaluation-run' then (
          select r.race_id from evaluation_run r where r.eval_run_id = e.key::uuid)
        when 'work-item' then (
          select w.race_id from work_item w where w.work_item_id = e.key::uuid)
      end as race_id
      offset 0
    ) work
    left join race on race.race_id = work.race_id
    order by e.at, e.machine, e.key, e.seq`;
}
