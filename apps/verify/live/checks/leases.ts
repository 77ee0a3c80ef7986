import type { Sql } from '../../../../infra/ports/sql.ts';
import { type Check, inPages, inParts, nearMs, within } from './check.ts';

/** INV-01 to INV-10: who may work at what, as far as rows and events show it. */
export const leaseChecks: readonly Check[] = [
  {
    id: 'INV-01',
    rule: 'live runs and included successes of a work item stay within the required ones',
    of: 'audit.work_items',
    find: inPages(
      'audit.work_items',
      'work_item_id',
      (sql, page) => sql`
        select w.work_item_id, w.required_successes, c.live, c.included, c.holders
        from audit.work_items w
        cross join lateral (
          select count(*) filter (where r.status in ('CLAIMED', 'RUNNING')) as live,
            count(distinct r.validator_hotkey) filter (where r.status in ('CLAIMED', 'RUNNING'))
              as holders,
            count(*) filter (where r.status = 'SUCCESS' and r.included) as included
          from audit.runs r
          where r.work_item_id = w.work_item_id) c
        where ${within(sql, 'w.work_item_id', page)}
          and (c.live + c.included > w.required_successes or c.live > c.holders)`,
    ),
  },
  {
    id: 'INV-01',
    rule: 'a work item counts the live runs that it has',
    of: 'work_item',
    find: inPages(
      'work_item',
      'work_item_id',
      (sql, page) => sql`
        select w.work_item_id, w.live_count, c.live
        from work_item w
        cross join lateral (
          select count(*) as live from evaluation_run r
          where r.work_item_id = w.work_item_id and r.status in ('CLAIMED', 'RUNNING')) c
        where ${within(sql, 'w.work_item_id', page)} and w.live_count <> c.live`,
    ),
  },
  {
    id: 'INV-02',
    rule: 'no two runs of a work item have one fence, and the next one is above them all',
    of: 'work_item',
    find: inPages(
      'work_item',
      'work_item_id',
      (sql, page) => sql`
        select w.work_item_id, w.next_fence, c.highest, c.runs, c.fences
        from work_item w
        cross join lateral (
          select max(r.fence) as highest, count(*) as runs, count(distinct r.fence) as fences
          from evaluation_run r
          where r.work_item_id = w.work_item_id) c
        where ${within(sql, 'w.work_item_id', page)}
          and (c.runs <> c.fences or w.next_fence <= c.highest)`,
    ),
  },
  {
    id: 'INV-02',
    rule: 'the fence of a work item grows with each claim',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select key as work_item_id, seq, fence, before
        from (
          select key, seq, (payload ->> 'fence')::bigint as fence,
            lag((payload ->> 'fence')::bigint) over (partition by key order by seq) as before
          from rt.event
          where kind = 'eval' and part = ${part} and machine = 'work-item'
            and type in ('LEASED', 'SUCCESS_REPLACED')) claims
        where fence <= before`,
    ),
  },
  {
    id: 'INV-03',
    rule: 'what validators tell of a run is told by the one that holds it',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select e.key as eval_run_id, e.seq, e.type, e.account, c.account as holder
        from rt.event e
        join rt.event c on c.kind = e.kind and c.part = e.part and c.machine = e.machine
          and c.key = e.key and c.seq = 1
        where e.kind = 'eval' and e.part = ${part} and e.machine = 'evaluation-run'
          and e.type in ('STARTED', 'PROGRESS_RECORDED', 'RESULTS_STORED', 'SUCCEEDED', 'FAILED',
            'RUN_TIMED_OUT')
          and (e.account <> c.account
            or c.account <> c.payload -> 'run' ->> 'validatorHotkey')`,
    ),
  },
  {
    id: 'INV-03',
    rule: 'no result and no progress is committed after the end of its run',
    of: 'evaluation_run',
    find: inPages(
      'evaluation_run',
      'eval_run_id',
      (sql, page) => sql`
        select r.eval_run_id, r.status, over.at as ended_at, late.task_id, late.at
        from evaluation_run r
        join rt.event over on over.kind = 'eval' and over.part = r.part
          and over.machine = 'evaluation-run' and over.key = r.eval_run_id::text
          and over.type in ('SUCCEEDED', 'FAILED', 'RUN_TIMED_OUT', 'STALED', 'CANCELLED')
        cross join lateral (
          select e.task_id, e.created_at as at from episode_result e
          where e.eval_run_id = r.eval_run_id
          union all
          select p.problem_id::text, p.updated_at from problem_progress p
          where p.eval_run_id = r.eval_run_id) late
        where ${within(sql, 'r.eval_run_id', page)} and late.at > over.at`,
    ),
  },
  {
    id: 'INV-04',
    rule: 'a run ends once, and its row says how',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select r.eval_run_id, r.status, ends.told
        from evaluation_run r
        cross join lateral (
          select array_agg(case e.type when 'SUCCEEDED' then 'SUCCESS' when 'STALED' then 'STALE'
            when 'RUN_TIMED_OUT' then 'TIMED_OUT' else e.type end) as told
          from rt.event e
          where e.kind = 'eval' and e.part = r.part and e.machine = 'evaluation-run'
            and e.key = r.eval_run_id::text
            and e.type in ('SUCCEEDED', 'FAILED', 'RUN_TIMED_OUT', 'STALED', 'CANCELLED')) ends
        where r.part = ${part}
          and case when r.status in ('CLAIMED', 'RUNNING') then ends.told is not null
            else ends.told is distinct from array[r.status] end`,
    ),
  },
  {
    id: 'INV-04',
    rule: 'a completed run keeps its first answer for equal repeats',
    of: 'rt.snapshot',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select key as eval_run_id, value
        from rt.snapshot
        where kind = 'eval' and part = ${part} and machine = 'evaluation-run'
          and value #>> '{}' in ('success', 'failed', 'timedOut')
          and (context -> 'completion' ->> 'digest') is null`,
    ),
  },
  {
    id: 'INV-05',
    rule: 'a run has an end exactly when it is over, and a score only when it succeeded',
    of: 'audit.runs',
    find: inPages(
      'audit.runs',
      'eval_run_id',
      (sql, page) => sql`
        select eval_run_id, status, score, claimed_at, terminal_at
        from audit.runs
        where ${within(sql, 'eval_run_id', page)}
          and ((status in ('CLAIMED', 'RUNNING')) <> (terminal_at is null)
            or status <> 'SUCCESS' and (score is not null or included)
            or terminal_at < claimed_at)`,
    ),
  },
  {
    id: 'INV-05',
    rule: 'status, score and end of a run are what its machine ended with',
    of: 'evaluation_run',
    find: inPages(
      'evaluation_run',
      'eval_run_id',
      (sql, page) => sql`
        select r.eval_run_id, r.status, s.value, r.score_micro, s.context -> 'scoreMicro' as score,
          r.completed_at, s.context -> 'endedAt' as ended_at_ms
        from evaluation_run r
        left join rt.snapshot s on s.kind = 'eval' and s.part = r.part
          and s.machine = 'evaluation-run' and s.key = r.eval_run_id::text
        where ${within(sql, 'r.eval_run_id', page)}
          and (r.status, r.score_micro, r.is_included, r.fence, r.work_item_id::text,
              floor(extract(epoch from r.completed_at) * 1000))
            is distinct from (
              case s.value #>> '{}' when 'timedOut' then 'TIMED_OUT' else upper(s.value #>> '{}') end,
              (s.context ->> 'scoreMicro')::integer, (s.context ->> 'isIncluded')::boolean,
              (s.context ->> 'fence')::bigint, s.context ->> 'workItemId',
              floor((s.context ->> 'endedAt')::numeric))`,
    ),
  },
  ...leaseTimes(),
  ...claims(),
];

/**
 * All live runs are found by the one index that holds just them, whose condition is that they have no end. That
 * what is live has none is asked of every run by INV-05.
 */
function leaseTimes(): Check[] {
  return [
    {
      id: 'INV-06',
      rule: 'no run goes stale before the end that its last heartbeat promised',
      of: 'run_beat',
      find: (sql) => sql`
        select r.eval_run_id, r.completed_at, b.lease_until
        from evaluation_run r
        join run_beat b on b.eval_run_id = r.eval_run_id
        where r.status = 'STALE' and r.end_reason = 'LEASE_EXPIRED'
          and r.completed_at < b.lease_until`,
    },
    {
      id: 'INV-07',
      rule: 'no live run is a minute past its lease',
      of: 'evaluation_run',
      needsProcesses: true,
      find: (sql) => sql`
        select r.eval_run_id, r.status, r.part, greatest(r.lease_expires_at, b.lease_until) as until
        from evaluation_run r
        left join run_beat b on b.eval_run_id = r.eval_run_id
        where r.completed_at is null and r.status in ('CLAIMED', 'RUNNING')
          and greatest(r.lease_expires_at, b.lease_until) < rt.clock() - interval '1 minute'`,
    },
    {
      id: 'INV-08',
      rule: 'no run goes stale before the end that its claim or its progress promised',
      of: 'rt.event',
      find: inParts(
        'eval',
        (sql, part) => sql`
          select e.key as eval_run_id, e.at, e.payload, promise.until_ms
          from rt.event e
          cross join lateral (
            select max((p.payload ->> 'leaseUntil')::numeric) as until_ms
            from rt.event p
            where p.kind = e.kind and p.part = e.part and p.machine = e.machine and p.key = e.key
              and p.seq < e.seq) promise
          where e.kind = 'eval' and e.part = ${part} and e.machine = 'evaluation-run'
            and e.type = 'STALED' and e.payload ->> 'reason' = 'LEASE_EXPIRED'
            and least((e.payload ->> 'at')::numeric, extract(epoch from e.at) * 1000)
              < promise.until_ms`,
      ),
    },
  ];
}

/**
 * Whether the success of `o` counted when `r` was claimed. One that an operator had excluded by then may
 * count again today, and whoever had it was rightly given the work once more.
 */
function countedAtClaim(sql: Sql) {
  return sql`
    (select e.type = 'SUCCESS_INCLUDED'
     from rt.event e
     where e.kind = 'eval' and e.part = r.part and e.machine = 'work-item'
       and e.key = r.work_item_id::text
       and e.type in ('SUCCESS_INCLUDED', 'SUCCESS_EXCLUDED', 'SUCCESS_REPLACED')
       and e.payload ->> 'evalRunId' = o.eval_run_id::text
       and e.seq < (
         select l.seq from rt.event l
         where l.kind = 'eval' and l.part = r.part and l.machine = 'work-item'
           and l.key = r.work_item_id::text and l.type = 'LEASED'
           and l.payload ->> 'evalRunId' = r.eval_run_id::text)
     order by e.seq desc
     limit 1)`;
}

function claims(): Check[] {
  return [
    {
      id: 'INV-09',
      rule: 'a claim is a run, a lease of its work, and one of the slots of its validator',
      of: 'evaluation_run',
      find: inParts(
        'eval',
        (sql, part) => sql`
          select coalesce(c.eval_run_id, r.eval_run_id) as eval_run_id, c.holder,
            r.validator_hotkey, lease.holder as leased_to
          from (
            select key::uuid as eval_run_id, payload -> 'run' ->> 'validatorHotkey' as holder,
              payload -> 'run' ->> 'workItemId' as work_item_id
            from rt.event
            where kind = 'eval' and part = ${part} and machine = 'evaluation-run'
              and type = 'CLAIMED') c
          full join (
            select eval_run_id, validator_hotkey from evaluation_run where part = ${part}) r
            on r.eval_run_id = c.eval_run_id
          left join lateral (
            select l.payload ->> 'validatorHotkey' as holder
            from rt.event l
            where l.kind = 'eval' and l.part = ${part} and l.machine = 'work-item'
              and l.key = c.work_item_id and l.type = 'LEASED'
              and l.payload ->> 'evalRunId' = c.eval_run_id::text) lease on true
          where (c.holder, c.holder) is distinct from (r.validator_hotkey, lease.holder)`,
      ),
    },
    {
      id: 'INV-09',
      rule: 'no validator has two live runs in one of its slots',
      of: 'evaluation_run',
      find: (sql) => sql`
        select validator_hotkey, slot, count(*) as live
        from evaluation_run
        where completed_at is null and status in ('CLAIMED', 'RUNNING')
        group by validator_hotkey, slot
        having count(*) > 1`,
    },
    {
      id: 'INV-10',
      rule: 'nobody is given discarded work, or work that it has succeeded with already',
      of: 'evaluation_run',
      find: inPages(
        'evaluation_run',
        'eval_run_id',
        (sql, page) => sql`
          select r.eval_run_id, r.claimed_at, v.discarded_at, before.eval_run_id as succeeded_with
          from evaluation_run r
          join agent_version v on v.agent_version_id = r.agent_version_id
          left join lateral (
            select o.eval_run_id from evaluation_run o
            where o.work_item_id = r.work_item_id and o.validator_hotkey = r.validator_hotkey
              and o.status = 'SUCCESS' and o.completed_at < r.claimed_at
              and o.rejudging_id is null and r.rejudging_id is null
              and ${countedAtClaim(sql)}
            limit 1) before on true
          where ${within(sql, 'r.eval_run_id', page)}
            and (v.discarded_at < r.claimed_at or before.eval_run_id is not null)`,
      ),
    },
    {
      id: 'INV-10',
      rule: 'a run is of the phase, the race and the version of its work, while that race runs',
      of: 'evaluation_run',
      find: inPages(
        'evaluation_run',
        'eval_run_id',
        (sql, page) => sql`
          select r.eval_run_id, r.phase, w.phase as phase_of_work, r.claimed_at, c.started_at,
            coalesce(c.completed_at, c.cancelled_at) as ended_at
          from evaluation_run r
          join work_item w on w.work_item_id = r.work_item_id
          left join race c on c.race_id = r.race_id
          where ${within(sql, 'r.eval_run_id', page)}
            and ((r.phase, r.race_id, r.agent_version_id)
                is distinct from (w.phase, w.race_id, w.agent_version_id)
              or (r.phase = 'RACE') <> (r.race_id is not null)
              or r.rejudging_id is null and (
                r.claimed_at < c.started_at - ${nearMs} * interval '1 millisecond'
                or r.claimed_at > coalesce(c.completed_at, c.cancelled_at)
                  + ${nearMs} * interval '1 millisecond'))`,
      ),
    },
  ];
}
