import type { Sql } from '../../../infra/ports/sql.ts';
import { familyCountsOf } from '../../../machines/suite/family-counts.ts';

export interface PackRow {
  readonly packSha256: string;
  /** The fields of the pack's manifest.json, as they stand there. */
  readonly manifest: Readonly<Record<string, string | null>>;
  /** The qualifying tasks that the caller may have, in roster order. */
  readonly taskIds: readonly string[];
  readonly familyCounts: Readonly<Record<string, number>>;
}

/**
 * A pack as a validator may fetch it by hash: the qualifying rosters of the suites on this pack that
 * its live qualifying runs are evaluated on, for a run that lacks one of its tasks can never succeed.
 * Without such a run it is the active suite's roster, else that of the suite of a live race run.
 * Undefined for any other.
 */
export async function deliverablePack(
  sql: Sql,
  packSha256: string,
  validatorHotkey: string,
): Promise<PackRow | undefined> {
  const [pack] = await sql<{ manifest: Record<string, string | null>; suiteIds: number[] }[]>`
    with own as (
      select suite_id, phase
      from evaluation_run
      where validator_hotkey = ${validatorHotkey} and status in ('CLAIMED', 'RUNNING')
    ), offered as (
      select s.suite_id, case
        when (s.suite_id, 'QUALIFYING') in (select suite_id, phase from own) then 1
        when s.is_active then 2
        when s.suite_id in (select suite_id from own) then 3
      end as place
      from suite s
      where s.env_pack_sha256 = ${packSha256}
    )
    select p.manifest, array(
      select suite_id from offered where place = (select min(place) from offered)
    ) as "suiteIds"
    from pack p
    where p.pack_sha256 = ${packSha256}`;
  if (pack === undefined || pack.suiteIds.length === 0) return undefined;
  const tasks = await qualifyingTasksOf(sql, pack.suiteIds);
  const taskIds = tasks.map(({ taskId }) => taskId);
  return { packSha256, manifest: pack.manifest, taskIds, familyCounts: familyCountsOf(tasks) };
}

/** Each once, although suites of one pack show the same ones; those of the oldest suite first. */
async function qualifyingTasksOf(sql: Sql, suiteIds: readonly number[]) {
  return await sql<{ taskId: string; family: string }[]>`
    select "taskId", family
    from (
      select distinct on (task_id) task_id as "taskId", family, suite_id, ordinal
      from suite_problem
      where suite_id = any (${suiteIds as number[]}::int[]) and phase = 'QUALIFYING'
        and task_id is not null
      order by task_id, suite_id
    ) shown
    order by suite_id, ordinal`;
}

export interface DeliveryRow {
  readonly deliverySha256: string;
  readonly sizeBytes: number;
}

export async function deliveryOf(
  sql: Sql,
  packSha256: string,
  deliveryKey: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await sql<DeliveryRow[]>`
    select delivery_sha256 as "deliverySha256", size_bytes::float8 as "sizeBytes"
    from pack_delivery
    where pack_sha256 = ${packSha256} and delivery_key = ${deliveryKey}`;
  return row;
}
