import type { Sql } from '../../../infra/ports/sql.ts';
import type { Sighting } from './messages.ts';

export const tables = ['validator'] as const;

/**
 * Keeps the latest sighting of each validator; what it left out stays as it was. Edges report out of
 * order, so an older sighting never moves a newer one back. Ordered, so that two edges' reports
 * cannot deadlock.
 */
export async function upsertSightings(sql: Sql, sightings: readonly Sighting[]): Promise<void> {
  const rows = JSON.stringify(sightings);
  await sql`
    insert into validator (hotkey, coldkey, uid, stake, last_seen_at, service_versions, cpu_pct, ram_pct,
      disk_pct, docker_container_count)
    select s.hotkey, s.coldkey, s.uid, s.stake, least(to_timestamp(s."seenAtMs" / 1000.0), rt.clock()),
      coalesce(nullif(s.host -> 'serviceVersions', 'null'), '{}'), (s.host ->> 'cpuPct')::float8,
      (s.host ->> 'ramPct')::float8, (s.host ->> 'diskPct')::float8,
      (s.host ->> 'dockerContainerCount')::int
    from jsonb_to_recordset(${rows}::text::jsonb) as s (hotkey text, coldkey text, "seenAtMs" float8,
      uid integer, stake numeric, host jsonb)
    order by s.hotkey
    on conflict (hotkey) do update
    set coldkey = coalesce(excluded.coldkey, validator.coldkey),
      uid = coalesce(excluded.uid, validator.uid),
      stake = coalesce(excluded.stake, validator.stake),
      last_seen_at = greatest(excluded.last_seen_at, validator.last_seen_at),
      service_versions = case excluded.service_versions when '{}' then validator.service_versions
        else excluded.service_versions end,
      cpu_pct = coalesce(excluded.cpu_pct, validator.cpu_pct),
      ram_pct = coalesce(excluded.ram_pct, validator.ram_pct),
      disk_pct = coalesce(excluded.disk_pct, validator.disk_pct),
      docker_container_count =
        coalesce(excluded.docker_container_count, validator.docker_container_count)`;
}
