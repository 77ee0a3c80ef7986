import { lastRaceOf, paidRace } from '../../../actors/runtime/race-rows.ts';
import { isOfFormerActivation, isReigning } from '../../../actors/runtime/reign.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { type RacePolicy, racePolicy } from '../../../machines/race/policy.ts';

export interface ReigningTopRow {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  /** The Overall that challengers have to beat, with four decimal places. */
  readonly score: string;
  readonly topAtMs: number;
}

export interface TopView {
  /** Of the active suite; null when none is. */
  readonly suiteId: number | null;
  readonly top: ReigningTopRow | null;
  /** The units of 10^-18 that the latest split gives the one who reigns; "0" for nobody. */
  readonly topUnits: string;
  /** Of the race that is open or was last; null before the first one. */
  readonly policy: RacePolicy | null;
  /** Of what is paid now: the race that was completed last, in whatever suite. Null before the first. */
  readonly burnRateMicro: number | null;
  readonly nowMs: number;
}

/**
 * Who reigns now: at most one over all suites. Discarded, banned or of a suite that is no longer
 * active, or was not for a while, means nobody, before the race coordinator has closed the reign too.
 */
export async function topView(sql: Sql): Promise<TopView> {
  const [row] = await sql<
    {
      suiteId: number | null;
      top: ReigningTopRow | null;
      topUnits: string | null;
      policy: unknown;
      paid: unknown;
      nowMs: number;
    }[]
  >`
    select suite.suite_id as "suiteId", reign.top, split.units::text as "topUnits", latest.policy,
      done.policy as paid,
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"
    from (values (1)) one (row)
    left join suite on suite.is_active
    left join lateral (
      select v.agent_version_id, jsonb_build_object(
        'agentVersionId', v.agent_version_id, 'agentName', v.agent_name,
        'minerHotkey', v.miner_hotkey, 'score', t.score::text,
        'topAtMs', floor(extract(epoch from t.top_at) * 1000)) as top
      from top_agent t
      join agent_version v using (agent_version_id)
      where ${isReigning(sql)}
    ) reign on true
    left join lateral (
      select r.policy from race r
      where r.suite_id = suite.suite_id
      order by r.race_number desc
      limit 1
    ) latest on true
    left join lateral (${paidRace(sql)}) done on true
    left join lateral (
      select e.units
      from race_emission e
      where e.seat = 'TOP' and e.agent_version_id = reign.agent_version_id
        and e.race_id = (${lastRaceOf(sql, sql`suite.suite_id`)})
    ) split on true`;
  if (row === undefined) throw new Error('a read of one row found none');
  const { suiteId, top, topUnits, nowMs } = row;
  const policy = row.policy === null ? null : racePolicy.parse(row.policy);
  const burnRateMicro = row.paid === null ? null : racePolicy.parse(row.paid).burnRateMicro;
  return { suiteId, top, nowMs, policy, burnRateMicro, topUnits: topUnits ?? '0' };
}

export interface ReignRow {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly minerHotkey: string;
  readonly versionNumber: number;
  readonly suiteId: number;
  readonly raceId: string;
  readonly score: string;
  readonly topAt: Date;
  readonly endedAt: Date | null;
}

/**
 * Every reign, newest first. One whose row is still open ended when its version was discarded, its
 * miner banned, though either was taken back, or another suite activated; at the latest when its own was
 * activated again.
 */
export async function reigns(sql: Sql, suiteId: number | undefined): Promise<readonly ReignRow[]> {
  return await sql<ReignRow[]>`
    select t.agent_version_id as "agentVersionId", v.agent_name as "agentName",
      t.miner_hotkey as "minerHotkey", v.version_number as "versionNumber",
      t.suite_id as "suiteId", t.race_id as "raceId", t.score, t.top_at as "topAt",
      coalesce(t.ended_at,
        case when lapse.at is not null then greatest(t.top_at, lapse.at) end) as "endedAt"
    from top_agent t
    join agent_version v using (agent_version_id)
    join suite s on s.suite_id = t.suite_id
    left join hotkey_ban b on b.hotkey = t.miner_hotkey
    cross join lateral (
      select least(
        case when v.state = 'DISCARDED' then v.discarded_at end,
        b.banned_at,
        case when t.ended_at is null then rt.top_fell_at() end,
        case when not s.is_active then (select a.activated_at from suite a where a.is_active)
          when ${isOfFormerActivation(sql, sql`s`)} then s.activated_at end
      ) as at
    ) lapse
    where ${suiteId === undefined ? sql`true` : sql`t.suite_id = ${suiteId}`}
    order by t.top_at desc, t.top_id`;
}
