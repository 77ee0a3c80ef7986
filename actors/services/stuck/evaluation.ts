import type { Sql } from '../../../infra/ports/sql.ts';
import { anyAble, validatorsSeen } from '../../runtime/offers.ts';
import type { StuckKind } from './stuck-kind.ts';

/** The owner moves leases in memory and writes them down every ten seconds; the other ten are spare. */
export const stuckRuns: StuckKind = {
  kind: 'evaluation-run',
  find: (sql) => sql`
    select r.eval_run_id::text as id, r.status as state,
      coalesce(r.started_at, r.claimed_at) as since, lease.ends_at as deadline, p.owner,
      case when p.is_lost then 'its partition has no live owner'
        else 'its lease is over and it was not ended' end as why
    from evaluation_run r
    join owned p on p.kind = 'eval' and p.part = r.part
    left join run_beat b on b.eval_run_id = r.eval_run_id
    cross join lateral (
      select greatest(r.lease_expires_at, b.lease_until) as ends_at) as lease
    cross join clock
    -- All that is live, in the words of the one index that holds just that.
    where r.completed_at is null
      and (p.is_lost or lease.ends_at < clock.now - clock.grace - interval '10 seconds')`,
};

/** Work on hold waits for a time, and work of a banned miner for an operator; both have a way on. */
export const stuckWork: StuckKind = {
  kind: 'work-item',
  find: (sql) => sql`
    select w.work_item_id::text as id, w.state, w.queued_at as since, null::timestamptz as deadline,
      p.owner, reason.why
    from work_item w
    join owned p on p.kind = 'eval' and p.part = w.part
    join agent_version v on v.agent_version_id = w.agent_version_id
    join suite s on s.suite_id = w.suite_id
    left join race c on c.race_id = w.race_id
    cross join clock
    cross join lateral (
      select case
        when p.is_lost then 'its partition has no live owner'
        when ${isOfEndedVersion(sql)} then 'its version is ' || lower(v.state)
        when ${isHeldForLiftedBan(sql)} then 'it is held for a ban that was lifted'
        when ${isOfFormerSuite(sql)} then 'its suite is not active any more'
        when ${isOfEndedRace(sql)} then 'its race is over'
        when ${hasAllSuccesses(sql)} then 'it has all its successes'
        when ${miscountsLiveRuns(sql)} then 'it counts live runs that are none'
      end as why) as reason
    where w.state = 'OPEN' and reason.why is not null`,
};

// Of the work `w`, its version `v`, its suite `s` and its race `c`, each asked only where those before it are not so.

const isOfEndedVersion = (sql: Sql) => sql`v.state in ('DISCARDED', 'CANCELLED')`;

const isHeldForLiftedBan = (sql: Sql) => sql`
  w.hold_reason = 'MINER_BANNED'
  and not exists (select from hotkey_ban b where b.hotkey = v.miner_hotkey)
  and not exists (
    select from audit_log a
    where a.action = 'hotkey.unban' and a.object = 'hotkey/' || v.miner_hotkey
      and a.committed_at > clock.now - clock.grace)`;

const isOfFormerSuite = (sql: Sql) => sql`
  not s.is_active
  and (w.rejudging_id is not null or w.phase = 'QUALIFYING' and v.state <> 'ELIGIBLE')
  and (select a.activated_at < clock.now - clock.grace from suite a where a.is_active)`;

const isOfEndedRace = (sql: Sql) => sql`
  c.status in ('RACE_COMPLETE', 'RACE_CANCELLED')
  and coalesce(c.completed_at, c.cancelled_at) < clock.now - clock.grace
  and w.rejudging_id is null`;

const hasAllSuccesses = (sql: Sql) => sql`w.included_success_count >= w.required_successes`;

const miscountsLiveRuns = (sql: Sql) => sql`
  w.live_count <> (
    select count(*) from evaluation_run r
    where r.agent_version_id = w.agent_version_id and r.work_item_id = w.work_item_id
      and r.status in ('CLAIMED', 'RUNNING'))`;

/** Its owner is right to wait: only another validator can help. Where none is here, its queue idles as well. */
export const workWithoutValidator: StuckKind = {
  kind: 'work-without-validator',
  find: (sql) => sql`
    with seen as materialized (${validatorsSeen(sql, '1 hour')})
    select w.work_item_id::text as id, w.state, w.queued_at as since, null::timestamptz as deadline,
      p.owner, 'no validator that was here within the hour may evaluate it' as why
    from work_item w
    join owned p on p.kind = 'eval' and p.part = w.part
    join agent_version v on v.agent_version_id = w.agent_version_id
    cross join clock
    where w.state = 'OPEN' and w.live_count = 0
      and w.included_success_count < w.required_successes and w.rejudging_id is null
      and not p.is_lost and v.state not in ('DISCARDED', 'CANCELLED')
      and w.hold_reason is distinct from 'MINER_BANNED'
      and coalesce(w.hold_until, w.queued_at) <= clock.now
      and w.queued_at < clock.now - interval '1 hour'
      and exists (select from seen)
      and not exists (${anyAble(sql, sql`seen`)})
      and not exists (
        select from evaluation_run r
        where r.agent_version_id = w.agent_version_id and r.work_item_id = w.work_item_id
          and r.completed_at > clock.now - interval '1 hour')`,
};

export const stuckVersions: StuckKind = {
  kind: 'agent-version',
  find: (sql) => sql`
    select v.agent_version_id::text as id, v.state, v.submitted_at as since,
      null::timestamptz as deadline, p.owner,
      case when p.is_lost then 'its partition has no live owner'
        else 'it waits for an evaluation and has no open work' end as why
    from agent_version v
    join owned p on p.kind = 'eval' and p.part = v.part
    -- What is open, in the words of the one index that has it by version.
    where v.state in ('RECEIVED', 'QUEUED', 'RUNNING')
      and (p.is_lost or not exists (
        select from work_item w
        where w.agent_version_id = v.agent_version_id and w.suite_id = v.suite_id
          and w.phase = 'QUALIFYING' and w.closed_at is null and w.rejudging_id is null))`,
};
