import type { Fragment, Sql, Transaction } from '../../infra/ports/sql.ts';
import { pauseTerms, runsAtLongestPause } from '../../machines/work-item/pause.ts';

/** A validator, as a parameter or as columns of a row. */
export interface Evaluator {
  readonly hotkey: Fragment;
  readonly coldkey: Fragment;
  /** Hotkeys that the coldkey owns now, as an array, where they are known. */
  readonly owned?: Fragment;
}

/**
 * Open work, by its alias, that needs a run more, for its own sake and not to be judged again: the condition of
 * the index work_item_claimable.
 */
export function needsRun(sql: Sql | Transaction, item: Fragment): Fragment {
  return sql`
    ${item}.state = 'OPEN' and ${item}.live_count + ${item}.included_success_count < ${item}.required_successes
      and ${item}.rejudging_id is null`;
}

/** Races before qualifying; the index work_item_claimable begins with it. */
export function phaseRank(sql: Sql | Transaction, item: Fragment): Fragment {
  return sql`case ${item}.phase when 'RACE' then 0 else 1 end`;
}

/** The order in which work, by its alias, is given out that nobody tried in vain. */
export function claimOrder(sql: Sql | Transaction, item: Fragment): Fragment {
  return sql`(${phaseRank(sql, item)}), ${item}.queue_order_at, ${item}.work_item_id`;
}

/**
 * It does not belong to the miner of the work `w`, by the coldkey of the submission, nor by that of now
 * where it is known.
 */
export function isStranger(
  sql: Sql | Transaction,
  { hotkey, coldkey, owned }: Evaluator,
): Fragment {
  return sql`
    w.miner_hotkey <> ${hotkey} ${owned === undefined ? sql`` : sql`and w.miner_hotkey <> all(${owned})`}
      and (w.miner_coldkey is null or w.miner_coldkey is distinct from ${coldkey}::text)`;
}

/**
 * It may evaluate the work `w`, should that need a run: what `isClaimable` asks of the validator. Each
 * subquery is one probe of an index that holds nothing else.
 */
export function mayEvaluate(sql: Sql | Transaction, validator: Evaluator): Fragment {
  const own = sql`r.work_item_id = w.work_item_id and r.validator_hotkey = ${validator.hotkey}`;
  return sql`
    ${isStranger(sql, validator)}
      and (select r.eval_run_id from evaluation_run r
           where ${own} and r.status in ('CLAIMED', 'RUNNING') limit 1) is null
      and (select r.eval_run_id from evaluation_run r where ${own} and r.is_included limit 1) is null`;
}

/** Its runs `r` of the work `w` that came to nothing: the condition of the index evaluation_run_in_vain. */
export function inVain(sql: Sql | Transaction, hotkey: Fragment): Fragment {
  return sql`
    r.work_item_id = w.work_item_id and r.validator_hotkey = ${hotkey}
      and (r.status in ('FAILED', 'TIMED_OUT', 'STALE')
        or r.status = 'CANCELLED' and r.end_reason = 'RELEASED'
        or r.status = 'SUCCESS' and r.exclusion_reason = 'INCOMPLETE')`;
}

/**
 * When the pause of this validator at the work `w` ends or has ended, null where its runs call for none: the
 * same as `pauseMs` says, of the newest runs in vain that `callsForPause` names.
 */
export function pauseEnd(
  sql: Sql | Transaction,
  { hotkey, maxMs }: { readonly hotkey: Fragment; readonly maxMs: Fragment },
): Fragment {
  const { runsBefore, firstMs } = pauseTerms;
  return sql`
    (select case when count(*) > ${runsBefore}::integer then
       max(newest.completed_at) + interval '1 millisecond' * least(
         ${firstMs}::float8 * 2 ^ least(count(*) - ${runsBefore}::integer - 1, 30), ${maxMs}) end
     from (
       select r.completed_at
       from evaluation_run r
       where r.work_item_id = w.work_item_id and r.validator_hotkey = ${hotkey}
         and ${callingForPause(sql)}
       order by r.completed_at desc
       limit ${runsAtLongestPause}
     ) newest)`;
}

/** Runs `r` as `callsForPause` names them: the condition of the index evaluation_run_pausing. */
function callingForPause(sql: Sql | Transaction): Fragment {
  return sql`
    (r.status in ('FAILED', 'TIMED_OUT') and r.failure_class is distinct from 'PLATFORM'
      or r.status = 'SUCCESS' and r.exclusion_reason = 'INCOMPLETE')`;
}

/** Validators that were seen since then and are not banned, of a clock that is read once. */
export function validatorsSeen(sql: Sql | Transaction, within: '5 minutes' | '1 hour'): Fragment {
  return sql`
    select v.hotkey, v.coldkey
    from validator v
    where v.last_seen_at > (select rt.clock()) - ${within}::interval
      and not exists (select from hotkey_ban b where b.hotkey = v.hotkey)`;
}

const seen = (sql: Sql | Transaction): Evaluator => ({
  hotkey: sql`l.hotkey`,
  coldkey: sql`l.coldkey`,
});

/** One row where any validator of the table `l` may evaluate the work `w`; looks no further then. */
export function anyAble(sql: Sql | Transaction, from: Fragment): Fragment {
  return sql`select from ${from} l where ${mayEvaluate(sql, seen(sql))}`;
}

/**
 * From when on the first of the validators of the table `l` that may evaluate the work `w` does not pause it:
 * the beginning of time where one never did, null where there is none.
 */
export function unpausedAt(sql: Sql | Transaction, from: Fragment, maxMs: Fragment): Fragment {
  const { hotkey } = seen(sql);
  // Who pauses it had more runs of it than call for no pause; all other work costs no look at its runs.
  return sql`
    select min(coalesce(pause.until, '-infinity')) as at
    from ${from} l
    cross join lateral (select ${pauseEnd(sql, { hotkey, maxMs })} as until) pause
    where w.next_fence > ${pauseTerms.runsBefore + 1}::integer and ${mayEvaluate(sql, seen(sql))}`;
}

/**
 * Of the work `w`: how many validators of the table `l` may evaluate it, counted up to the runs that it
 * needs, whether one of them had no run of it in vain, and, where all of them pause it, when the first pause
 * ends. The latter two are never said of a race's work: how its runs ended is sealed.
 */
export function offersOf(sql: Sql | Transaction, from: Fragment): Fragment {
  const { hotkey } = seen(sql);
  const maxMs = sql`${pauseTerms.maxMs.QUALIFYING}::float8`;
  return sql`
    select
      (select count(*)::int from (
        ${anyAble(sql, from)}
        limit greatest(w.required_successes - w.included_success_count - w.live_count, 0)
      ) counted) as able,
      tried.is_untried,
      case when not tried.is_untried then (
        select case when bool_and(coalesce(pause.until > rt.clock(), false)) then min(pause.until) end
        from ${from} l
        cross join lateral (select ${pauseEnd(sql, { hotkey, maxMs })} as until) pause
        where ${mayEvaluate(sql, seen(sql))}) end as paused_until
    -- Asked once, which the offset is for: pauses are looked up only where all had a run of it in vain.
    from (
      select w.phase = 'RACE' or exists (
        ${anyAble(sql, from)}
          and (select r.eval_run_id from evaluation_run r
               where ${inVain(sql, hotkey)} limit 1) is null) as is_untried
      offset 0) tried`;
}
