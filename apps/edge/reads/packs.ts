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
 * A pack as a validator may fetch it by hash: the qualifying roster of the active suite on this pack,
 * else of the suite that a live run of the caller is evaluated on. Undefined for any other.
 */
export async function deliverablePack(
  sql: Sql,
  packSha256: string,
  validatorHotkey: string,
): Promise<PackRow | undefined> {
  const [pack] = await sql<{ manifest: Record<string, string | null>; suiteId: number }[]>`
    select p.manifest, s.suite_id as "suiteId"
    from pack p
    join suite s on s.env_pack_sha256 = p.pack_sha256
    where p.pack_sha256 = ${packSha256}
      and (s.is_active or exists (
        select 1 from evaluation_run r
        where r.validator_hotkey = ${validatorHotkey} and r.suite_id = s.suite_id
          and r.status in ('CLAIMED', 'RUNNING')
      ))
    order by s.is_active desc, s.suite_id desc
    limit 1`;
  if (pack === undefined) return undefined;
  const tasks = await sql<{ taskId: string; family: string }[]>`
    select task_id as "taskId", family
    from suite_problem
    where suite_id = ${pack.suiteId} and phase = 'QUALIFYING' and task_id is not null
    order by ordinal`;
  const taskIds = tasks.map(({ taskId }) => taskId);
  return { packSha256, manifest: pack.manifest, taskIds, familyCounts: familyCountsOf(tasks) };
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
