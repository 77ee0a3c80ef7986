import type { Sql } from '../../infra/ports/sql.ts';

export interface RunLocator {
  readonly part: number;
  readonly agentVersionId: string;
  readonly validatorHotkey: string;
  readonly status: string;
}

/** Where a run lives; undefined when there is none. */
export async function runLocator(sql: Sql, evalRunId: string): Promise<RunLocator | undefined> {
  const [row] = await sql<RunLocator[]>`
    select part, agent_version_id as "agentVersionId", validator_hotkey as "validatorHotkey", status
    from evaluation_run
    where eval_run_id = ${evalRunId}`;
  return row;
}

export interface LiveRun {
  readonly evalRunId: string;
  readonly part: number;
  readonly agentVersionId: string;
  readonly slot: number;
  /** CLAIMED is untouched: no heartbeat, progress or result arrived. */
  readonly status: 'CLAIMED' | 'RUNNING';
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceId: string | null;
  readonly envPackSha256: string | null;
  readonly claimedAt: Date;
  /** As far as heartbeats are written down; its owner knows better. */
  readonly isPastLease: boolean;
}

/** The caller's runs that nobody has ended yet, oldest first. */
export async function liveRunsOf(sql: Sql, validatorHotkey: string): Promise<readonly LiveRun[]> {
  return await sql<LiveRun[]>`
    select r.eval_run_id as "evalRunId", r.part, r.agent_version_id as "agentVersionId", r.slot,
           r.status, r.phase, r.race_id as "raceId", r.env_pack_sha256 as "envPackSha256",
           r.claimed_at as "claimedAt",
           greatest(r.lease_expires_at, b.lease_until) <= rt.clock() as "isPastLease"
    from evaluation_run r
    left join run_beat b on b.eval_run_id = r.eval_run_id
    where r.validator_hotkey = ${validatorHotkey} and r.status in ('CLAIMED', 'RUNNING')
    order by r.claimed_at, r.eval_run_id`;
}

export interface Claimer {
  readonly validatorHotkey: string;
  readonly validatorColdkey: string | null;
  readonly limit: number;
}

export interface ClaimCandidate {
  readonly workItemId: string;
  readonly part: number;
}

/**
 * Work that this validator may be given, races first, then as the queue stands. Only a hint: the
 * owner of each partition decides. Work that the validator gave back comes when nothing else does, and
 * after it what is to be judged again.
 */
export async function claimCandidates(
  sql: Sql,
  claimer: Claimer,
): Promise<readonly ClaimCandidate[]> {
  const fresh = await candidates(sql, claimer, false);
  if (fresh.length > 0) return fresh;
  const released = await candidates(sql, claimer, true);
  return released.length > 0 ? released : await judgeable(sql, claimer);
}

/** For a rejudging: to no validator that has or had a say in the same score. */
async function judgeable(sql: Sql, { validatorHotkey, validatorColdkey, limit }: Claimer) {
  return await sql<ClaimCandidate[]>`
    select w.work_item_id as "workItemId", w.part
    from work_item w
    join evaluation_run judged on judged.eval_run_id = w.judged_run_id
    where w.state = 'OPEN' and w.rejudging_id is not null and w.live_count = 0
      and (w.hold_until is null or w.hold_until <= rt.clock())
      and w.hold_reason is distinct from 'MINER_BANNED'
      and w.miner_hotkey <> ${validatorHotkey}
      and (w.miner_coldkey is null or w.miner_coldkey is distinct from ${validatorColdkey}::text)
      and judged.validator_hotkey <> ${validatorHotkey}
      and not exists (
        select from evaluation_run r
        where r.agent_version_id = w.agent_version_id and r.phase = w.phase
          and r.race_id is not distinct from w.race_id and r.validator_hotkey = ${validatorHotkey}
          and (r.status in ('CLAIMED', 'RUNNING') or r.is_included
            or r.status = 'SUCCESS' and exists (
              select from work_item o
              where o.work_item_id = r.work_item_id and o.state = 'JUDGED')))
    order by exists (
        select from evaluation_run r
        where r.work_item_id = w.work_item_id and r.validator_hotkey = ${validatorHotkey}
          and r.end_reason = 'RELEASED'),
      w.queue_order_at, w.work_item_id
    limit ${limit}`;
}

async function candidates(sql: Sql, claimer: Claimer, isReleasedToo: boolean) {
  const { validatorHotkey, validatorColdkey, limit } = claimer;
  // In the order of the index work_item_claimable, whose scan ends at the limit: with anti-joins in
  // place of these subqueries the planner reads and sorts all claimable work.
  return await sql<ClaimCandidate[]>`
    select w.work_item_id as "workItemId", w.part
    from work_item w
    where w.state = 'OPEN' and w.live_count + w.included_success_count < w.required_successes
      and w.rejudging_id is null
      and (w.hold_until is null or w.hold_until <= rt.clock())
      and w.hold_reason is distinct from 'MINER_BANNED'
      and w.miner_hotkey <> ${validatorHotkey}
      and (w.miner_coldkey is null or w.miner_coldkey is distinct from ${validatorColdkey}::text)
      and w.miner_hotkey <> all(array(select b.hotkey from hotkey_ban b))
      and (
        select r.eval_run_id
        from evaluation_run r
        where r.work_item_id = w.work_item_id and r.validator_hotkey = ${validatorHotkey}
          and (r.status in ('CLAIMED', 'RUNNING') or r.is_included
            or not ${isReleasedToo} and r.status = 'CANCELLED' and r.end_reason = 'RELEASED')
        limit 1
      ) is null
    order by case w.phase when 'RACE' then 0 else 1 end, w.queue_order_at, w.work_item_id
    limit ${limit}`;
}

export interface ClaimDetails {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly workItemId: string;
  readonly minerHotkey: string;
  readonly validatorHotkey: string;
  readonly status: string;
  readonly suiteId: number;
  readonly suiteVersion: number;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceId: string | null;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly envPackSha256: string | null;
  readonly codeSha256: string;
  readonly leaseExpiresAt: Date;
  /** It has an inference token, or its miner a credential to issue one for. */
  readonly mayHaveToken: boolean;
}

/** What the answer to a claim says of its run. */
export async function claimDetails(sql: Sql, evalRunId: string): Promise<ClaimDetails | undefined> {
  const [row] = await sql<ClaimDetails[]>`
    select r.eval_run_id as "evalRunId", r.agent_version_id as "agentVersionId",
           r.work_item_id as "workItemId", v.miner_hotkey as "minerHotkey",
           r.validator_hotkey as "validatorHotkey", r.status, r.suite_id as "suiteId",
           s.suite_version as "suiteVersion", r.phase, r.race_id as "raceId",
           r.execution_kind as "executionKind", r.env_pack_sha256 as "envPackSha256",
           v.code_sha256 as "codeSha256", r.lease_expires_at as "leaseExpiresAt",
           exists (
             select from inference_default d
             join inference_credential c on c.miner_hotkey = d.miner_hotkey
               and c.provider = d.provider and c.rejected_at is null
             where d.miner_hotkey = v.miner_hotkey
           ) or exists (
             select from inference_token t where t.eval_run_id = r.eval_run_id
           ) as "mayHaveToken"
    from evaluation_run r
    join agent_version v on v.agent_version_id = r.agent_version_id
    join suite s on s.suite_id = r.suite_id
    where r.eval_run_id = ${evalRunId}`;
  return row;
}
