import { findStuck } from '../../../../actors/services/stuck/find-stuck.ts';
import { type Check, inParts } from './check.ts';

const stuckPerKind = 20;

/** INV-46 to INV-48 and INV-50: messages, owners and what the world is told. */
export const runtimeChecks: readonly Check[] = [
  {
    id: 'INV-46',
    rule: 'no command had its effect in two commits',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select command_id, count(distinct at) as commits, min(at) as first_at, max(at) as last_at
        from rt.event
        where kind = 'eval' and part = ${part}
        group by command_id
        having count(distinct at) > 1`,
    ),
  },
  {
    id: 'INV-46',
    rule: 'no machine has two events of one number',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        select machine, key, count(*) as events, max(seq) as highest
        from rt.event
        where kind = 'eval' and part = ${part}
        group by machine, key
        having count(*) <> max(seq) or min(seq) <> 1 or count(distinct seq) <> count(*)`,
    ),
  },
  {
    id: 'INV-47',
    rule: 'no message waits for longer than a minute and a half',
    of: 'audit.outbox_pending',
    needsProcesses: true,
    // What a process had in hand when it died is sent again after half a minute.
    find: (sql) => sql`
      select count, oldest_at from audit.outbox_pending
      where oldest_at < clock_timestamp() - interval '90 seconds'`,
  },
  {
    id: 'INV-47',
    rule: 'nothing that is not over has lost its owner or missed its time',
    of: 'rt.snapshot',
    needsProcesses: true,
    find: async (sql) => {
      const { records, unknownKinds } = await findStuck(sql, stuckPerKind);
      return [...records, ...unknownKinds.map((kind) => ({ kind, why: 'it was not looked at' }))];
    },
  },
  {
    id: 'INV-47',
    rule: 'no message was set aside',
    of: 'rt.poison',
    find: (sql) => sql`select msg_id, subject, error from rt.poison`,
  },
  {
    id: 'INV-47',
    rule: 'every partition, and so every live run, has a living owner',
    of: 'rt.partition',
    when: 'quiet',
    find: (sql) => sql`
      select p.kind, p.part, p.owner, p.epoch
      from rt.partition p
      where not exists (
        select from rt.member m
        where m.member_id = p.owner and m.incarnation = p.incarnation
          and m.lease_until > rt.wall_clock())`,
  },
  {
    id: 'INV-47',
    rule: 'the outbox is empty',
    of: 'rt.outbox',
    when: 'quiet',
    find: (sql) => sql`select kind, part, msg_id, subject, at, attempts, next_at from rt.outbox`,
  },
  {
    id: 'INV-48',
    rule: 'the epoch of a partition never decreases in commit order',
    of: 'rt.event',
    find: async (sql) => {
      const found: object[] = [];
      for (const kind of ['eval', 'race', 'emission']) {
        const find = inParts(
          kind,
          (tx, part) => tx`
            select ${kind} as kind, ${part}::integer as part, at, epoch, before
            from (
              select at, epoch, max(epoch) over earlier as before
              from rt.event
              where kind = ${kind} and part = ${part}
              window earlier as (order by at groups between unbounded preceding and 1 preceding)) e
            where epoch < before`,
        );
        found.push(...(await find(sql)));
      }
      return found;
    },
  },
  {
    id: 'INV-48',
    rule: 'no event is of an epoch that its partition has not reached',
    of: 'rt.partition',
    find: (sql) => sql`
      select p.kind, p.part, newest.epoch as newest, p.epoch
      from rt.partition p
      cross join lateral (
        select max(e.epoch) as epoch from rt.event e
        where e.kind = p.kind and e.part = p.part) newest
      where newest.epoch > p.epoch`,
  },
  {
    id: 'INV-48',
    rule: 'the epoch of a run never decreases over its events',
    of: 'audit.run_events',
    find: (sql) => sql`
      select eval_run_id, seq, owner_epoch, before
      from (
        select eval_run_id, seq, owner_epoch,
          lag(owner_epoch) over (partition by eval_run_id order by seq) as before
        from audit.run_events) e
      where owner_epoch < before`,
  },
  {
    id: 'INV-50',
    rule: 'the public feed has no gap',
    of: 'public_event',
    // But where an accepted restore begins a branch, and says what it follows.
    find: (sql) => sql`
      select cursor, before
      from (
        select cursor, type, body, lag(cursor, 1, 0::bigint) over (order by cursor) as before
        from public_event) e
      where cursor <> before + 1
        and (type <> 'history-restored' or (body ->> 'last_kept_cursor')::bigint <> before
          or (body ->> 'branch')::bigint << 32 <> cursor)`,
  },
  {
    id: 'INV-50',
    rule: 'the public feed tells every fact of runs and submissions once',
    of: 'public_event',
    when: 'quiet',
    find: (sql) => sql`
      select feed.claims, feed.admissions, feed.ends,
        facts.claims as claimed, facts.admissions as admitted, facts.ends as ended
      from (
        select count(*) filter (where type = 'run-claimed') as claims,
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
        left join public_release r on r.kind = 'RACE' and r.id = u.race_id
        where e.kind = 'eval') facts
      where feed.claims <> facts.claims or feed.admissions <> facts.admissions
        -- A race of which something ended late is due once more, and counts as told when it was.
        or feed.ends <> facts.ends and not exists (
          select from public_release p
          where p.kind = 'RACE' and p.told_at is null and p.due_at <= rt.clock())`,
  },
];
