import type { Sql } from '../../../../infra/ports/sql.ts';
import { nearMs } from './check.ts';

/** Epochs looked at, the newest: three days of them. */
export const epochsMax = 60;

interface MadeStandings {
  readonly epochIndex: number;
  readonly body: string;
  /** The race that the row names, and the one that its event names. */
  readonly raceId: string | null;
  readonly namedId: string | null;
  /** What it says was read after the one and stored at the other, less and more what is near. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** What rules.md makes of the moment that standings were made at. */
interface Ground {
  /** Something that they follow from changed meanwhile, or too near to it. */
  readonly isUndecided: boolean;
  /** The latest race that was complete, and the burn rate of its policy; null before there was one. */
  readonly raceId: string | null;
  readonly burnRateMicro: number | null;
  readonly topHotkey: string | null;
  readonly finishers: readonly object[];
}

/** Of each epoch whose standings say another thing, the first part that differs. */
export async function wrongBodies(sql: Sql): Promise<readonly object[]> {
  const found: object[] = [];
  for (const made of await newestStandings(sql)) {
    const ground = await groundAt(sql, made);
    if (ground.isUndecided) continue;
    const [first, ...others] = differences(made, ground);
    if (first === undefined) continue;
    found.push({ epochIndex: made.epochIndex, ...first, othersThatDiffer: others.length });
  }
  return found;
}

async function newestStandings(sql: Sql): Promise<readonly MadeStandings[]> {
  return await sql<MadeStandings[]>`
    select s.epoch_index::float8 as "epochIndex", s.body, s.race_id as "raceId",
      e.payload -> 'made' ->> 'raceId' as "namedId",
      (e.payload -> 'made' ->> 'at')::float8 - ${nearMs}::integer as "sinceMs",
      (extract(epoch from e.at) * 1000)::float8 + ${nearMs}::integer as "untilMs"
    from epoch_standings s
    join rt.event e on e.kind = 'emission' and e.part = 0 and e.machine = 'emission'
      and e.key = s.epoch_index::text and e.type = 'STANDINGS_MADE'
    order by s.epoch_index desc
    limit ${epochsMax}`;
}

function differences({ epochIndex, body, raceId, namedId }: MadeStandings, ground: Ground) {
  const { burnRateMicro, topHotkey: top_hotkey, finishers } = ground;
  const t_burn = burnRateMicro === null ? null : burnRateMicro / 1_000_000;
  const epoch_standings = { top_hotkey, t_burn, finishers };
  const wantedBody = {
    ...{ eligible: true, epoch_index: epochIndex, weight_overlay: {} },
    epoch_standings,
  };
  const said = leavesOf({ row: raceId, event: namedId, body: parsed(body) });
  const wanted = leavesOf({ row: ground.raceId, event: ground.raceId, body: wantedBody });
  const paths = [...new Set([...said.keys(), ...wanted.keys()])];
  return paths.flatMap((path) => {
    // Where no race was complete nobody reigns, and all is burned whatever the rate.
    if (t_burn === null && path === '.body.epoch_standings.t_burn') return [];
    const [left, right] = [said.get(path), wanted.get(path)];
    return left === right ? [] : [{ what: path, said: left ?? null, wanted: right ?? null }];
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return 'no JSON';
  }
}

/** Each value that has none below it, by the way there; a number as what it is read to. */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (parts.length === 0) return new Map([[path, JSON.stringify(value)]]);
  return new Map(parts.flatMap(([name, part]) => [...leavesOf(part, `${path}.${name}`)]));
}

/**
 * The top is the open reign, unless it was discarded or banned, or another suite activated, since it began.
 * Beside it are paid those of the race that finished and are neither eliminated, discarded nor banned.
 */
async function groundAt(sql: Sql, made: MadeStandings): Promise<Ground> {
  const { namedId, sinceMs, untilMs } = made;
  const [ground] = await sql<Ground[]>`
    with moment as (
      select timestamptz 'epoch' + ${sinceMs} * interval '1 millisecond' as since,
        timestamptz 'epoch' + ${untilMs} * interval '1 millisecond' as until,
        ${nearMs} * interval '1 millisecond' as near
    ), completed as (
      -- Seen by others from its commit on, which is later than the instant that it says.
      select r.race_id, r.policy, r.completed_at, e.at as seen_at
      from (
        select c.* from race c
        join moment m on c.completed_at <= m.until
        where c.status = 'RACE_COMPLETE'
        order by c.completed_at desc, c.race_id desc
        limit 3) r
      join rt.event e on e.kind = 'race' and e.part = r.part and e.machine = 'race'
        and e.key = r.race_id::text and e.type = 'RACE_COMPLETED'
    ), ban as (
      select substring(a.object from 8) as hotkey,
        (array_agg(a.action = 'hotkey.ban' order by a.seq desc))[1] as is_banned,
        bool_or(a.committed_at >= m.since) as is_near
      from audit_log a
      join moment m on a.committed_at <= m.until
      where a.action in ('hotkey.ban', 'hotkey.unban')
      group by a.object
    ), reign as (
      select t.agent_version_id, t.miner_hotkey, t.suite_id, t.top_at
      from top_agent t
      join moment m on t.top_at < m.since and (t.ended_at is null or t.ended_at > m.until)
    ), switch as (
      select a.object, a.committed_at, a.committed_at >= m.since as is_near
      from audit_log a
      join moment m on a.committed_at <= m.until
      where a.action = 'suite.activate'
    ), payee as (
      select agent_version_id, miner_hotkey, true as is_top, null::numeric as raw
      from reign
      union all
      select agent_version_id, miner_hotkey, false, race_score
      from race_entrant
      where race_id = ${namedId} and race_score is not null and not is_eliminated
    ), standing as (
      select p.*, past.is_discarded or coalesce(ban.is_banned, false) as is_out,
        past.is_near or coalesce(ban.is_near, false) as is_near
      from payee p
      cross join moment m
      join agent_version v on v.agent_version_id = p.agent_version_id
      left join ban on ban.hotkey = p.miner_hotkey
      cross join lateral (
        select coalesce((array_agg(d.type = 'DISCARDED' order by d.seq desc))[1], false)
            as is_discarded,
          coalesce(bool_or(d.at >= m.since), false) as is_near
        from rt.event d
        where d.kind = 'eval' and d.part = v.part and d.machine = 'agent-version'
          and d.key = v.agent_version_id::text and d.type in ('DISCARDED', 'REINSTATED')
          and d.at <= m.until) past
    ), top as (
      select s.miner_hotkey
      from standing s
      join reign r on r.agent_version_id = s.agent_version_id
      where s.is_top and not s.is_out
        and not exists (
          select from switch a
          where a.committed_at > r.top_at and a.object <> 'suite/' || r.suite_id)
        and not exists (
          select from audit_log a
          join moment m on a.committed_at between r.top_at and m.until
          where a.action = 'hotkey.ban' and a.object = 'hotkey/' || r.miner_hotkey)
        and not exists (
          select from agent_version v
          join rt.event d on d.kind = 'eval' and d.part = v.part and d.machine = 'agent-version'
            and d.key = v.agent_version_id::text and d.type = 'DISCARDED'
          join moment m on d.at between r.top_at and m.until
          where v.agent_version_id = r.agent_version_id)
    )
    select
      exists (select from completed c where c.seen_at >= m.since)
        or exists (select from standing s where s.is_near)
        or exists (select from switch a where a.is_near)
        or exists (
          select from switch a
          join reign r on a.committed_at between r.top_at - m.near and r.top_at + m.near)
        -- What ended it may have been taken back before the end was stored.
        or exists (
          select from top_agent t
          where t.ended_at between m.since - interval '1 minute' and m.until
            and t.end_reason <> 'OUTRANKED')
        as "isUndecided",
      latest.race_id as "raceId", (latest.policy ->> 'burnRateMicro')::float8 as "burnRateMicro",
      (select miner_hotkey from top) as "topHotkey",
      coalesce((
        select jsonb_agg(jsonb_build_object(
            'miner_hotkey', s.miner_hotkey, 'agent_version_id', s.agent_version_id,
            'race_score', s.raw)
          order by s.raw desc, s.agent_version_id)
        from standing s
        where not s.is_top and not s.is_out
          and not exists (select from top where top.miner_hotkey = s.miner_hotkey)), '[]')
        as finishers
    from moment m
    left join lateral (
      select c.race_id, c.policy from completed c
      order by c.completed_at desc, c.race_id desc
      limit 1) latest on true`;
  if (ground === undefined) throw new Error('a moment is one row');
  return ground;
}
