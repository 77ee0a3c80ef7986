import type { Fragment, Sql, Transaction } from '../../infra/ports/sql.ts';

/** A validator, as a parameter or as columns of a row. */
export interface Evaluator {
  readonly hotkey: Fragment;
  readonly coldkey: Fragment;
  /** Hotkeys that the coldkey owns now, as an array, where they are known. */
  readonly owned?: Fragment;
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
 * Of the work `w`: how many validators of the table `l` may evaluate it, counted up to the runs that it
 * needs, and whether one of them had no run of it in vain. That is never said of a race's work: how its
 * runs ended is sealed.
 */
export function offersOf(sql: Sql | Transaction, from: Fragment): Fragment {
  return sql`
    select
      (select count(*)::int from (
        ${anyAble(sql, from)}
        limit greatest(w.required_successes - w.included_success_count - w.live_count, 0)
      ) counted) as able,
      w.phase = 'RACE' or exists (
        ${anyAble(sql, from)}
          and (select r.eval_run_id from evaluation_run r
               where ${inVain(sql, sql`l.hotkey`)} limit 1) is null) as is_untried`;
}
