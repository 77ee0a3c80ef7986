import type { Transaction } from '../../../../infra/ports/sql.ts';
import type { RejudgingPreview } from '../../../../machines/rejudging/preview.ts';
import type { RejudgingCriteria } from '../messages.ts';

export const tables = ['rejudging', 'rejudging_run'] as const;

export interface SelectedRun {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly part: number;
  readonly raceId: string | null;
  /** These are null for a QUALIFYING run. */
  readonly raceNumber: number | null;
  readonly raceStatus: string | null;
}

/**
 * Counted runs of the active suite, oldest first; more than fit are any `limit` of them, so that nothing
 * sorts all the runs there ever were. Not those of versions that are over, of races that came to nothing,
 * and those that another open rejudging has.
 */
export async function selectRuns(
  tx: Transaction,
  criteria: RejudgingCriteria,
  limit: number,
): Promise<readonly SelectedRun[]> {
  const given = <T>(value: T | null, condition: (value: T) => ReturnType<typeof tx>) =>
    value === null ? tx`true` : condition(value);
  const at = (ms: number) => tx`timestamptz 'epoch' + ${ms} * interval '1 millisecond'`;
  const { taskId } = criteria;
  return await tx<SelectedRun[]>`
    select "evalRunId", "agentVersionId", part, "raceId", "raceNumber", "raceStatus"
    from (
      select r.eval_run_id as "evalRunId", r.agent_version_id as "agentVersionId", r.part,
        r.race_id as "raceId", race.race_number as "raceNumber", race.status as "raceStatus", r.claimed_at
      from ${taskId === null ? tx`evaluation_run` : runsThatHad(tx, taskId)} r
      join suite s on s.suite_id = r.suite_id and s.is_active
      join agent_version v on v.agent_version_id = r.agent_version_id
      left join race on race.race_id = r.race_id
      where r.status = 'SUCCESS' and r.is_included and v.state in ('RUNNING', 'ELIGIBLE')
        and race.status is distinct from 'RACE_CANCELLED'
        and ${given(criteria.validatorHotkey, (hotkey) => tx`r.validator_hotkey = ${hotkey}`)}
        and ${given(criteria.agentVersionId, (id) => tx`r.agent_version_id = ${id}`)}
        and ${given(criteria.phase, (phase) => tx`r.phase = ${phase}`)}
        and ${given(criteria.envPackSha256, (sha256) => tx`r.env_pack_sha256 = ${sha256}`)}
        and ${given(criteria.claimedFromMs, (ms) => tx`r.claimed_at >= ${at(ms)}`)}
        and ${given(criteria.claimedUntilMs, (ms) => tx`r.claimed_at < ${at(ms)}`)}
        and ${given(
          taskId,
          (id) => tx`(
            exists (
              select from episode_result e
              where e.eval_run_id = r.eval_run_id and e.task_id = ${id})
            or exists (
              select from problem_progress p
              where p.eval_run_id = r.eval_run_id and p.problem_id::text = ${id}))`,
        )}
        and not exists (
          select from rejudging_run x
          join rejudging j on j.rejudging_id = x.rejudging_id
          where x.eval_run_id = r.eval_run_id and j.applied_at is null and j.cancelled_at is null)
      limit ${limit}) fitting
    order by claimed_at, "evalRunId"`;
}

/**
 * Those that can have had the task: of the races that drew it, and of qualifying where the active suite
 * has it. Only their results are looked at.
 */
function runsThatHad(tx: Transaction, taskId: string): ReturnType<typeof tx> {
  return tx`(
      select r.* from evaluation_run r
      where r.race_id = any(array(
        select d.race_id from race_task d
        where d.task_id = ${taskId} or d.problem_id::text = ${taskId}))
      union all
      select r.* from evaluation_run r
      where r.race_id is null and exists (
        select from suite_problem p
        join suite s on s.suite_id = p.suite_id and s.is_active
        where p.task_id = ${taskId} or p.problem_id::text = ${taskId}))`;
}

export interface NewRejudging {
  readonly rejudgingId: string;
  readonly criteria: RejudgingCriteria;
  readonly reason: string | null;
  readonly actor: string;
  readonly runs: readonly SelectedRun[];
}

export async function insertRejudging(tx: Transaction, rejudging: NewRejudging): Promise<void> {
  const { rejudgingId, criteria, reason, actor, runs } = rejudging;
  await tx`
    insert into rejudging (rejudging_id, suite_id, criteria, reason, actor, created_at)
    select ${rejudgingId}, suite_id, ${JSON.stringify(criteria)}::text::jsonb, ${reason}, ${actor},
      rt.clock()
    from suite where is_active`;
  await tx`
    insert into rejudging_run (rejudging_id, ordinal, eval_run_id)
    select ${rejudgingId}, ordinal, eval_run_id
    from unnest(${runs.map(({ evalRunId }) => evalRunId)}::uuid[])
      with ordinality as chosen (eval_run_id, ordinal)`;
}

export async function lockRejudging(tx: Transaction, rejudgingId: string): Promise<boolean> {
  const { count } = await tx`
    select 1 from rejudging where rejudging_id = ${rejudgingId} for update`;
  return count > 0;
}

/** Whom an order about a rejudging concerns. */
export async function runsOfRejudging(
  tx: Transaction,
  rejudgingId: string,
): Promise<readonly Pick<SelectedRun, 'agentVersionId' | 'part'>[]> {
  return await tx<Pick<SelectedRun, 'agentVersionId' | 'part'>[]>`
    select distinct r.agent_version_id as "agentVersionId", r.part
    from rejudging_run x
    join evaluation_run r on r.eval_run_id = x.eval_run_id
    where x.rejudging_id = ${rejudgingId}`;
}

export interface RejudgingEnd {
  readonly rejudgingId: string;
  readonly isApplied: boolean;
  readonly reason: string | null;
  readonly outcome: RejudgingPreview;
}

export async function endRejudging(tx: Transaction, end: RejudgingEnd): Promise<void> {
  const { rejudgingId, isApplied, reason, outcome } = end;
  await tx`
    update rejudging
    set applied_at = case when ${isApplied} then rt.clock() end,
      cancelled_at = case when not ${isApplied} then rt.clock() end,
      end_reason = ${reason}, outcome = ${JSON.stringify(outcome)}::text::jsonb
    where rejudging_id = ${rejudgingId}`;
}
