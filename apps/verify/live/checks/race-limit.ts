import type { Fragment, Sql } from '../../../../infra/ports/sql.ts';
import { pastLimitMs, pastLimitOnBanMs } from '../../../../machines/race/news.ts';

/**
 * The race `r` ended, or is still there, at that instant later after its limit than anything that it may have
 * waited for allows: the exclusion of what a validator measured that was banned while it ran, above all.
 */
export function isPastLimit(sql: Sql, at: Fragment): Fragment {
  return sql`(
    ${at} > r.deadline_at + ${pastLimitMs} * interval '1 millisecond'
    and (
      ${at} > r.deadline_at + ${pastLimitOnBanMs} * interval '1 millisecond'
      or not exists (
        select from evaluation_run u
        join audit_log a on a.action = 'hotkey.ban' and a.object = 'hotkey/' || u.validator_hotkey
        where u.race_id = r.race_id and a.committed_at between r.started_at and ${at})))`;
}
