import type { Fragment, Sql } from '../../../../infra/ports/sql.ts';
import { pastLimitMs, pastLimitOnOrderMs } from '../../../../machines/race/news.ts';

/**
 * The race `r` ended, or is still there, at that instant later after its limit than anything that it may have
 * waited for allows: an operator's order that changes what it comes to, above all. Which ones these are says
 * `rt.race_awaits_order`; here they are called as the log of orders calls them.
 */
export function isPastLimit(sql: Sql, at: Fragment): Fragment {
  return sql`(
    ${at} > r.deadline_at + ${pastLimitMs} * interval '1 millisecond'
    and (
      ${at} > r.deadline_at + ${pastLimitOnOrderMs} * interval '1 millisecond'
      or not exists (
        select from audit_log a
        where a.committed_at between r.started_at and ${at}
          and case
            when a.action = 'race.cancel' then a.object = 'race/' || r.race_id
            when a.action in ('run.exclude', 'run.include') then exists (
              select from evaluation_run u
              where u.race_id = r.race_id and a.object = 'evaluation-run/' || u.eval_run_id)
            when a.action in ('version.discard', 'version.reinstate') then exists (
              select from race_entrant e
              where e.race_id = r.race_id and a.object = 'agent-version/' || e.agent_version_id)
              or a.action = 'version.discard' and exists (
                select from top_agent t
                where t.suite_id = r.suite_id and a.object = 'agent-version/' || t.agent_version_id
                  and t.top_at <= ${at} and coalesce(t.ended_at >= r.started_at, true))
            when a.action = 'hotkey.ban' then exists (
              select from evaluation_run u
              where u.race_id = r.race_id and a.object = 'hotkey/' || u.validator_hotkey)
            else false
          end)))`;
}
