import type { Sql, Transaction } from '../../../../infra/ports/sql.ts';
import type { RejudgingPreview } from '../../../../machines/rejudging/preview.ts';
import {
  type JudgingState,
  judgingState,
  type RejudgingStatus,
  rejudgingStatus,
} from '../../../../machines/rejudging/progress.ts';
import { isStranger, validatorsSeen } from '../../../runtime/offers.ts';
import { isOfFormerActivation } from '../../../runtime/reign.ts';
import type { RejudgingCriteria } from '../messages.ts';

interface HeadRow {
  readonly rejudgingId: string;
  readonly suiteId: number;
  readonly criteria: RejudgingCriteria;
  readonly reason: string | null;
  readonly actor: string;
  readonly createdAt: Date;
  readonly appliedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly endReason: string | null;
  readonly outcome: RejudgingPreview | null;
  readonly selected: number;
  readonly openCount: number;
  readonly judgedCount: number;
  readonly evaluated: number;
  readonly applied: number;
  readonly failed: number;
}

export interface Rejudging extends Omit<HeadRow, 'judgedCount' | 'openCount'> {
  readonly status: RejudgingStatus;
}

// A work item that is cancelled had a verdict if its run is there, and none otherwise.
const heads = (sql: Sql | Transaction, outcome = sql`j.outcome`) => sql`
  select j.rejudging_id as "rejudgingId", j.suite_id as "suiteId", j.criteria, j.reason, j.actor,
    j.created_at as "createdAt", j.applied_at as "appliedAt", j.cancelled_at as "cancelledAt",
    j.end_reason as "endReason", ${outcome} as outcome, work.selected,
    work."openCount", work."judgedCount", work.evaluated, work.applied, work.failed
  from rejudging j
  cross join lateral (
    select count(*)::int as selected,
      count(*) filter (where w.state is null or w.state = 'OPEN')::int as "openCount",
      count(*) filter (where w.state = 'JUDGED')::int as "judgedCount",
      count(verdict.eval_run_id)::int as evaluated,
      count(*) filter (where w.state = 'APPLIED')::int as applied,
      count(*) filter (where w.state = 'CANCELLED' and verdict.eval_run_id is null)::int as failed
    from rejudging_run x
    left join work_item w
      on w.rejudging_id = x.rejudging_id and w.judged_run_id = x.eval_run_id
    left join lateral (${verdictOf(sql)}) verdict on true
    where x.rejudging_id = j.rejudging_id
  ) work`;

/** The run that judged `x` again; a legacy run that left problems out judged nothing. */
function verdictOf(sql: Sql | Transaction) {
  return sql`
    select n.eval_run_id, n.validator_hotkey, n.score_micro
    from evaluation_run n
    where n.rejudging_id = x.rejudging_id and n.judged_run_id = x.eval_run_id
      and n.status = 'SUCCESS' and n.exclusion_reason is distinct from 'INCOMPLETE'
    limit 1`;
}

function rejudgingOf({ openCount, judgedCount, ...head }: HeadRow): Rejudging {
  const isApplied = head.appliedAt !== null;
  const isCancelled = head.cancelledAt !== null;
  return { ...head, status: rejudgingStatus({ isApplied, isCancelled, openCount, judgedCount }) };
}

export async function rejudgingById(
  sql: Sql | Transaction,
  rejudgingId: string,
): Promise<Rejudging | undefined> {
  const [row] = await sql<HeadRow[]>`${heads(sql)} where j.rejudging_id = ${rejudgingId}`;
  return row && rejudgingOf(row);
}

/** Newest first, without what they came to. */
export async function rejudgingPage(
  sql: Sql | Transaction,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly rejudgings: readonly Rejudging[] }> {
  const [[count], rows] = await Promise.all([
    sql<{ total: number }[]>`select count(*)::int as total from rejudging`,
    sql<HeadRow[]>`
      ${heads(sql, sql`null`)}
      order by j.created_at desc, j.rejudging_id
      limit ${page.limit} offset ${page.offset}`,
  ]);
  return { total: count?.total ?? 0, rejudgings: rows.map(rejudgingOf) };
}

interface JudgingRow {
  readonly evalRunId: string;
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly validatorHotkey: string;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly raceId: string | null;
  readonly scoreMicro: number;
  readonly work: string | null;
  readonly liveCount: number;
  readonly reason: string | null;
  readonly attempts: number;
  readonly holdUntil: Date | null;
  readonly holdReason: string | null;
  readonly newRunId: string | null;
  readonly newHotkey: string | null;
  readonly newScoreMicro: number | null;
  /** Why the verdict would not be applied now. */
  readonly obstacle: string | null;
  /** Validators seen within the hour that may take it. */
  readonly ableValidators: number;
}

export interface Judging extends Omit<JudgingRow, 'liveCount' | 'work'> {
  readonly state: JudgingState;
}

/** Every run of a rejudging, in the order in which they were claimed. */
export async function judgingsOf(
  sql: Sql | Transaction,
  { rejudgingId, cancelledAt }: Pick<Rejudging, 'cancelledAt' | 'rejudgingId'>,
): Promise<readonly Judging[]> {
  const rows = await sql<JudgingRow[]>`
    select r.eval_run_id as "evalRunId", r.agent_version_id as "agentVersionId",
      v.agent_name as "agentName", r.validator_hotkey as "validatorHotkey", r.phase,
      r.race_id as "raceId", r.score_micro as "scoreMicro", w.state as work,
      coalesce(w.live_count, 0) as "liveCount",
      case when w.state = 'CANCELLED' then w.close_reason end as reason,
      (select count(*) from evaluation_run a
        where a.rejudging_id = x.rejudging_id and a.judged_run_id = x.eval_run_id)::int as attempts,
      case when w.state = 'OPEN' then w.hold_until end as "holdUntil",
      case when w.state = 'OPEN' then w.hold_reason end as "holdReason",
      verdict.eval_run_id as "newRunId", verdict.validator_hotkey as "newHotkey",
      verdict.score_micro as "newScoreMicro", obstacle.reason as obstacle,
      coalesce(able.validators, 0) as "ableValidators"
    from rejudging_run x
    join evaluation_run r on r.eval_run_id = x.eval_run_id
    join agent_version v on v.agent_version_id = r.agent_version_id
    join suite s on s.suite_id = r.suite_id
    left join work_item w
      on w.rejudging_id = x.rejudging_id and w.judged_run_id = x.eval_run_id
    left join lateral (${verdictOf(sql)}) verdict on true
    left join lateral (
      select case
        when r.race_id is not null then 'RACE_OVER'
        when v.state = 'DISCARDED' then 'VERSION_DISCARDED'
        when v.state = 'CANCELLED' or not s.is_active
          or ${isOfFormerActivation(sql, sql`s`, sql`w.queued_at`)} then 'SUITE_SUPERSEDED'
        when not r.is_included then 'RUN_EXCLUDED'
        when exists (select from hotkey_ban b where b.hotkey = verdict.validator_hotkey)
          then 'VALIDATOR_BANNED'
        when exists (
          select from evaluation_run o
          where o.work_item_id = r.work_item_id and o.is_included
            and o.validator_hotkey = verdict.validator_hotkey) then 'SAME_VALIDATOR'
      end as reason
      where w.state = 'JUDGED'
    ) obstacle on true
    left join lateral (
      select count(*)::int as validators
      from (${validatorsSeen(sql, '1 hour')}) l
      where w.state = 'OPEN' and w.live_count = 0
        and l.hotkey <> r.validator_hotkey
        and ${isStranger(sql, { hotkey: sql`l.hotkey`, coldkey: sql`l.coldkey` })}
        and l.hotkey <> all(array(
          select o.validator_hotkey
          from evaluation_run o
          left join work_item own on own.work_item_id = o.work_item_id
          where o.agent_version_id = r.agent_version_id and o.phase = r.phase
            and o.race_id is not distinct from r.race_id
            and (o.is_included or o.status in ('CLAIMED', 'RUNNING')
              or o.status = 'SUCCESS' and own.state = 'JUDGED')))
    ) able on true
    where x.rejudging_id = ${rejudgingId}
    order by x.ordinal`;
  return rows.map(({ work, liveCount, ...row }) => ({
    ...row,
    state: judgingState({
      ...{ work, liveCount },
      hasVerdict: row.newRunId !== null,
      isRejudgingCancelled: cancelledAt !== null,
    }),
  }));
}
