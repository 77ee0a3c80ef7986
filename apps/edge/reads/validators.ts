import type { Sql } from '../../../infra/ports/sql.ts';

export interface ValidatorRow {
  readonly validatorHotkey: string;
  readonly status: 'active' | 'idle' | 'offline';
  readonly lastSeenAt: Date | null;
  readonly uid: number | null;
  readonly stake: string | null;
  readonly currentRuns: number;
  readonly completed24h: number;
  readonly stale24h: number;
  readonly serviceVersions: Readonly<Record<string, string>>;
  readonly cpuPct: number | null;
  readonly ramPct: number | null;
  readonly diskPct: number | null;
  readonly dockerContainerCount: number | null;
}

/** Validators that are not banned; active within five minutes, offline after an hour. */
export async function listValidators(sql: Sql): Promise<readonly ValidatorRow[]> {
  return await sql<ValidatorRow[]>`
    select v.hotkey as "validatorHotkey",
      case
        when v.last_seen_at > rt.clock() - interval '5 minutes' then 'active'
        when v.last_seen_at > rt.clock() - interval '1 hour' then 'idle'
        else 'offline'
      end as status,
      v.last_seen_at as "lastSeenAt", v.uid, v.stake,
      coalesce(runs.live, 0)::int as "currentRuns",
      coalesce(runs.completed, 0)::int as "completed24h",
      coalesce(runs.stale, 0)::int as "stale24h",
      v.service_versions as "serviceVersions", v.cpu_pct as "cpuPct", v.ram_pct as "ramPct",
      v.disk_pct as "diskPct", v.docker_container_count as "dockerContainerCount"
    from validator v
    left join lateral (
      select count(*) filter (where r.status in ('CLAIMED', 'RUNNING')) as live,
        count(*) filter (where r.status in ('SUCCESS', 'FAILED', 'TIMED_OUT')
          and r.completed_at > rt.clock() - interval '24 hours') as completed,
        count(*) filter (where r.status = 'STALE'
          and r.completed_at > rt.clock() - interval '24 hours') as stale
      from evaluation_run r
      where r.validator_hotkey = v.hotkey
        and (r.status in ('CLAIMED', 'RUNNING') or r.completed_at > rt.clock() - interval '24 hours')
    ) runs on true
    where not exists (select 1 from hotkey_ban b where b.hotkey = v.hotkey)
    order by v.hotkey`;
}
