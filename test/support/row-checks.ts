import type { ExecutionContext } from 'ava';
import type { Sql } from '../../infra/ports/sql.ts';

/** A rule over rows: the query finds what breaks it, so nothing found is what is wanted. */
interface RowCheck {
  readonly rule: string;
  find(sql: Sql): Promise<readonly object[]>;
}

/**
 * What must hold in the tables of a quiet service. The numbers are those of the invariants that the
 * design names; each query counts again what the service keeps as a count.
 */
export const rowChecks: readonly RowCheck[] = [
  {
    rule: 'INV-01/12: counts of a work item equal its runs, and stay within the required ones',
    find: (sql) => sql`
      select w.work_item_id, w.required_successes, w.included_success_count, w.live_count,
             c.included, c.flagged, c.live
      from work_item w
      cross join lateral (
        select count(*) filter (where r.status = 'SUCCESS' and r.is_included) as included,
               count(*) filter (where r.is_included) as flagged,
               count(*) filter (where r.status in ('CLAIMED', 'RUNNING')) as live
        from evaluation_run r
        where r.work_item_id = w.work_item_id) c
      where w.included_success_count <> c.included or c.flagged <> c.included
         or w.live_count <> c.live or c.live + c.included > w.required_successes`,
  },
  {
    rule: 'INV-11: work is closed exactly at its required successes',
    find: (sql) => sql`
      select work_item_id, state, required_successes, included_success_count, closed_at, close_reason
      from work_item
      where (state = 'CLOSED') <> (included_success_count = required_successes)
         or (state = 'OPEN') <> (closed_at is null)
         or (state = 'CANCELLED' and close_reason is null)`,
  },
  {
    rule: 'a version shows the counts of its qualifying runs, and nothing of a race',
    find: (sql) => sql`
      select v.agent_version_id, v.state, v.live_run_count, v.failed_run_count, v.stale_run_count,
             v.included_success_count
      from agent_version v
      cross join lateral (
        select count(*) filter (where r.status in ('CLAIMED', 'RUNNING')) as live,
               count(*) filter (where r.status in ('FAILED', 'TIMED_OUT')) as failed,
               count(*) filter (where r.status = 'STALE') as stale,
               count(*) filter (where r.is_included) as included
        from evaluation_run r
        where r.agent_version_id = v.agent_version_id and r.phase = 'QUALIFYING'
          and (r.rejudging_id is null or r.is_included)) c
      where v.live_run_count <> c.live or v.failed_run_count <> c.failed
         or v.stale_run_count <> c.stale or v.included_success_count <> c.included`,
  },
  {
    // Eligible is for ever; without its required successes it only lacks the score.
    rule: 'INV-13: a version is eligible once its work is closed, and scored while it is',
    find: (sql) => sql`
      select v.agent_version_id, v.state, w.state as work_state
      from agent_version v
      join work_item w on w.agent_version_id = v.agent_version_id and w.phase = 'QUALIFYING'
        and w.rejudging_id is null
      where (v.qualifying_score is null) = (w.state = 'CLOSED')
         or w.state = 'CLOSED' and v.state not in ('ELIGIBLE', 'DISCARDED')
         or v.state = 'ELIGIBLE' and v.eligible_at is null
         or w.state = 'CLOSED' and v.eligible_at is null`,
  },
  {
    rule: 'INV-12: what judges a run again counts only where it was applied, in the place of that run',
    find: (sql) => sql`
      select r.eval_run_id, r.is_included, w.state, w.rejudging_id
      from evaluation_run r
      join work_item w on w.work_item_id = r.work_item_id
      join evaluation_run judged on judged.eval_run_id = r.judged_run_id
      where r.is_included and w.rejudging_id is not null
         or w.rejudging_id is null and (judged.is_included or judged.work_item_id <> w.work_item_id)`,
  },
  {
    rule: 'INV-23: an accepted submission is one version and one work item, numbered without a gap',
    find: (sql) => sql`
      select a.agent_id, count(v.*) as versions, count(w.*) as work_items,
             max(v.version_number) as newest
      from agent a
      left join agent_version v on v.agent_id = a.agent_id
      left join work_item w
        on w.agent_version_id = v.agent_version_id and w.phase = 'QUALIFYING'
        and w.rejudging_id is null
      group by a.agent_id
      having count(v.*) <> count(w.*) or max(v.version_number) <> count(distinct v.version_number)`,
  },
  {
    rule: 'INV-21: a run counts the results that are stored for it',
    find: (sql) => sql`
      select r.eval_run_id, r.status, r.item_count, c.items
      from evaluation_run r
      cross join lateral (
        select count(*) as items from episode_result e where e.eval_run_id = r.eval_run_id) c
      where r.item_count <> c.items`,
  },
  {
    // The stored score is an integer of 10^-6, so half of one is what rounding may move it.
    rule: 'INV-15: the score of a run is the mean reward over all of its tasks',
    find: (sql) => sql`
      select r.eval_run_id, r.score_micro, r.expected_items, c.items, c.reward_micro
      from evaluation_run r
      cross join lateral (
        select count(*) as items,
               coalesce(sum(e.reward_micro) filter (where e.verdict_correct), 0) as reward_micro
        from episode_result e where e.eval_run_id = r.eval_run_id) c
      where r.status = 'SUCCESS' and r.execution_kind = 'envpack'
        and (r.score_micro is null or c.items <> r.expected_items
             or abs(r.score_micro - c.reward_micro::numeric / r.expected_items) > 0.5)`,
  },
  {
    rule: 'INV-05: a run has an end exactly when it is over',
    find: (sql) => sql`
      select eval_run_id, status, completed_at
      from evaluation_run
      where (status in ('CLAIMED', 'RUNNING')) <> (completed_at is null)`,
  },
  {
    rule: 'INV-48: the epoch of a partition never decreases in commit order',
    find: (sql) => sql`
      select part, at, epoch, before
      from (
        select part, at, epoch, max(epoch) over earlier as before
        from rt.event
        where kind = 'eval'
        window earlier as (partition by part order by at
                           groups between unbounded preceding and 1 preceding)) e
      where epoch < before`,
  },
  {
    rule: 'INV-48: no event is of an epoch that its partition has not reached',
    find: (sql) => sql`
      select e.part, max(e.epoch) as newest, p.epoch
      from rt.event e
      join rt.partition p on p.kind = e.kind and p.part = e.part
      group by e.part, p.epoch
      having max(e.epoch) > p.epoch`,
  },
  {
    rule: 'every partition, and so every live run, has a living owner',
    find: (sql) => sql`
      select p.part, p.owner, p.epoch
      from rt.partition p
      where not exists (
        select from rt.member m
        where m.member_id = p.owner and m.incarnation = p.incarnation
          and m.lease_until > rt.wall_clock())`,
  },
  {
    rule: 'INV-47: the outbox is empty',
    find: (sql) => sql`select kind, part, msg_id, subject, at, attempts, next_at from rt.outbox`,
  },
  {
    rule: 'no message was set aside',
    find: (sql) => sql`select msg_id, subject, error from rt.poison`,
  },
  {
    rule: 'every fact is in the public feed once, and the feed has no gap',
    find: (sql) => sql`
      select feed.events, feed.newest, feed.claims, feed.admissions, feed.ends,
             facts.claims as claimed, facts.admissions as admitted, facts.ends as ended
      from (
        select count(*) as events, coalesce(max(cursor), 0) as newest,
               count(*) filter (where type = 'run-claimed') as claims,
               count(*) filter (where type = 'submission-accepted') as admissions,
               count(*) filter (where type = 'run-ended') as ends
        from public_event) feed,
      (
        select count(*) filter (where type = 'CLAIMED') as claims,
               count(*) filter (where type = 'RECEIVED') as admissions,
               -- Of race runs once the race is released.
               count(*) filter (
                 where type in ('SUCCEEDED', 'FAILED', 'RUN_TIMED_OUT', 'STALED', 'CANCELLED')
                   and (u.phase = 'QUALIFYING' or r.told_at is not null)) as ends
        from rt.event e
        left join evaluation_run u
          on e.machine = 'evaluation-run' and u.eval_run_id::text = e.key
        left join public_release r on r.kind = 'RACE' and r.id = u.race_id) facts
      where feed.events <> feed.newest or feed.claims <> facts.claims
         or feed.admissions <> facts.admissions or feed.ends <> facts.ends`,
  },
];

/** The rules that need neither a projector nor living owners, for tests of one partition. */
export async function tellsOneStory(t: ExecutionContext, sql: Sql): Promise<void> {
  const own = rowChecks.filter(({ rule }) => /^(INV-(01|05|1|2)|a version)/.test(rule));
  for (const { rule, find } of own) t.deepEqual([...(await find(sql))], [], rule);
}
