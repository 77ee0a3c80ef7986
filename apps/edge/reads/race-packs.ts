import type { Sql } from '../../../infra/ports/sql.ts';
import { familyCountsOf } from '../../../machines/suite/family-counts.ts';
import type { PackRow } from './packs.ts';

export interface RaceForValidator {
  /** A run of the validator's is evaluated in it: it runs, or its runs are judged again. */
  readonly hasLiveRun: boolean;
}

export async function raceForValidator(
  sql: Sql,
  raceId: string,
  validatorHotkey: string,
): Promise<RaceForValidator | undefined> {
  const [row] = await sql<RaceForValidator[]>`
    select exists (
        select 1 from evaluation_run e
        where e.race_id = r.race_id and e.validator_hotkey = ${validatorHotkey}
          and e.phase = 'RACE' and e.status in ('CLAIMED', 'RUNNING')
          and (r.status = 'RACE_RUNNING' or e.rejudging_id is not null)
      ) as "hasLiveRun"
    from race r
    where r.race_id = ${raceId}`;
  return row;
}

/** The race's tasks in their order; undefined for a suite without a pack. */
export async function racePack(sql: Sql, raceId: string): Promise<PackRow | undefined> {
  const [pack] = await sql<{ packSha256: string; manifest: Record<string, string | null> }[]>`
    select p.pack_sha256 as "packSha256", p.manifest
    from race r
    join suite s on s.suite_id = r.suite_id
    join pack p on p.pack_sha256 = s.env_pack_sha256
    where r.race_id = ${raceId} and s.execution_kind = 'envpack'`;
  if (pack === undefined) return undefined;
  const tasks = await sql<{ taskId: string; family: string }[]>`
    select task_id as "taskId", family
    from race_task
    where race_id = ${raceId} and task_id is not null
    order by ordinal`;
  const taskIds = tasks.map(({ taskId }) => taskId);
  return { ...pack, taskIds, familyCounts: familyCountsOf(tasks) };
}
