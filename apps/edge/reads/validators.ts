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

/**
 * Validators that are not banned; active within five minutes, offline after an hour. The clock is read
 * once: asked for each row, it would have every run read that there ever was.
 */
export async function listValidators(sql: Sql): Promise<readonly ValidatorRow[]> {
  return await sql<ValidatorRow[]>`
    select v.hotkey as "validatorHotkey",
      case
        when v.last_seen_at > clock.at - interval '5 minutes' then 'active'
        when v.last_seen_at > clock.at - interval '1 hour' then 'idle'
        else 'offline'
      end as status,
      v.last_seen_at as "lastSeenAt", v.uid, v.stake,
      live.count as "currentRuns", ended.completed as "completed24h", ended.stale as "stale24h",
      v.service_versions as "serviceVersions", v.cpu_pct as "cpuPct", v.ram_pct as "ramPct",
      v.disk_pct as "diskPct", v.docker_container_count as "dockerContainerCount"
    from (select rt.clock() as at) clock
    cross join validator v
    cross join lateral (
      select count(*)::int as count
      from evaluation_run r
      where r.validator_hotkey = v.hotkey and r.status in ('CLAIMED', 'RUNNING')
    ) live
    cross join lateral (
      select count(*) filter (where r.status in ('SUCCESS', 'FAILED', 'TIMED_OUT'))::int as completed,
        count(*) filter (where r.status = 'STALE')::int as stale
      from evaluation_run r
      where r.validator_hotkey = v.hotkey and r.completed_at > clock.at - interval '24 hours'
    ) ended
    where not exists (select 1 from hotkey_ban b where b.hotkey = v.hotkey)
    order by v.hotkey`;
}
