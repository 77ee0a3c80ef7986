import { auditPages } from '../../audit/audit-pages.ts';
import { AuditChain } from '../../audit/chain.ts';
import { type Check, inParts } from './check.ts';

/** For which nobody orders a version to be discarded or a run to be excluded. */
const ownReasons = [
  ...['AGENT_FAILURES', 'INTEGRITY'],
  ...['BEYOND_REQUIRED', 'INCOMPLETE', 'REJUDGED', 'SAME_VALIDATOR', 'VALIDATOR_BANNED'],
];

/** INV-44: what operators did. */
export const operatorChecks: readonly Check[] = [
  {
    id: 'INV-44',
    rule: 'the chain of the audit log holds from its first entry to its last',
    of: 'audit_log',
    find: async (sql) => {
      const chain = new AuditChain();
      for await (const page of auditPages((read) => read(sql))) {
        for (const row of page) {
          const flaw = chain.follow(row);
          if (flaw !== undefined) return [flaw];
        }
      }
      return [];
    },
  },
  {
    id: 'INV-44',
    rule: 'times of the audit log follow its numbers',
    of: 'audit.audit_log',
    find: (sql) => sql`
      select seq, committed_at, before
      from (
        select seq, committed_at, lag(committed_at) over (order by seq) as before
        from audit.audit_log) entries
      where committed_at < before`,
  },
  {
    id: 'INV-44',
    rule: 'what only operators make has its one entry, of the same moment',
    of: 'audit_log',
    find: (sql) => sql`
      select made.action, made.object, made.at, entries.count as entries
      from (
        select 'policy.change' as action, 'policy/' || policy_version as object, created_at as at
        from race_policy
        union all
        select 'suite.create', 'suite/' || suite_id, created_at from suite
        union all
        select 'rejudging.create', 'rejudging/' || rejudging_id, created_at from rejudging
        union all
        select 'hotkey.ban', 'hotkey/' || hotkey, banned_at from hotkey_ban) made
      cross join lateral (
        select count(*) as count
        from audit_log a
        where a.action = made.action and a.object = made.object
          -- A ban may be ordered again while it stands, and once more after it was taken back.
          and (made.action <> 'hotkey.ban' or a.committed_at between
            made.at - interval '1 minute' and made.at + interval '1 minute')) entries
      where case made.action when 'hotkey.ban' then entries.count < 1 else entries.count <> 1 end`,
  },
  {
    // Starts by order are left out, for a closed race starts by itself at once: its row looks the same.
    id: 'INV-44',
    rule: 'what operators order of races, suites, packs and rejudgings has its entry before it',
    of: 'audit_log',
    find: (sql) => sql`
      select made.actions, made.object, made.at
      from (
        select array['race.close', 'race.start'] as actions, 'race/' || race_id as object,
          coalesce(pins_locked_at, closed_at) as at
        from race
        where pins_locked_at is not null or closed_at < qualifying_closes_at
        union all
        select array['race.cancel'], 'race/' || race_id, cancelled_at
        from race
        where cancel_reason not in ('NO_ENTRANT', 'NO_FINISHER', 'NO_TASK', 'SUITE_SWITCHED')
        union all
        select array['suite.activate'], 'suite/' || suite_id, activated_at
        from suite where activated_at is not null
        union all
        select array['pack.register'], 'pack/' || pack_sha256, created_at from pack
        union all
        select array['rejudging.apply'], 'rejudging/' || rejudging_id, applied_at
        from rejudging where applied_at is not null
        union all
        select array['rejudging.cancel'], 'rejudging/' || rejudging_id, cancelled_at
        from rejudging where cancelled_at is not null) made
      where not exists (
        select from audit_log a
        where a.action = any(made.actions) and a.object = made.object
          and a.committed_at <= made.at + interval '1 minute')`,
  },
  {
    // An order that finds done what it asks for has an entry as well, and no event.
    id: 'INV-44',
    rule: 'what operators order of versions and runs has an entry for each time that it was done',
    of: 'rt.event',
    find: inParts(
      'eval',
      (sql, part) => sql`
        with made as (
          select e.at, e.type, o.action, o.object,
            row_number() over (partition by o.object, o.action order by e.seq) as times
          from rt.event e
          cross join lateral (
            select
              case e.type when 'DISCARDED' then 'version.discard'
                when 'REINSTATED' then 'version.reinstate' when 'EXCLUDED' then 'run.exclude'
                when 'INCLUDED' then 'run.include' else 'run.reclaim' end as action,
              case e.machine when 'agent-version' then 'agent-version/'
                else 'evaluation-run/' end || e.key as object) o
          where e.kind = 'eval' and e.part = ${part}
            and (e.machine, e.type) in (
              ('agent-version', 'DISCARDED'), ('agent-version', 'REINSTATED'),
              ('evaluation-run', 'EXCLUDED'), ('evaluation-run', 'INCLUDED'),
              ('evaluation-run', 'STALED'))
            -- What the service does of itself says so.
            and case e.type when 'STALED' then e.payload ->> 'reason' = 'RECLAIMED'
              else coalesce(e.payload ->> 'reason', '') <> all(${ownReasons}::text[]) end)
        select made.object, made.type, made.at, made.times, entries.count as entries
        from made
        cross join lateral (
          select count(*) as count
          from audit_log a
          where a.action = made.action and a.object = made.object
            and a.committed_at <= made.at + interval '1 minute') entries
        where entries.count < made.times`,
    ),
  },
  {
    id: 'INV-44',
    rule: 'a hotkey is banned exactly when the newest entry about its ban says so',
    of: 'hotkey_ban',
    find: (sql) => sql`
      with said as (
        select distinct on (object) object, action
        from audit_log
        where action in ('hotkey.ban', 'hotkey.unban')
        order by object, seq desc)
      select coalesce(said.object, 'hotkey/' || b.hotkey) as object, said.action, b.banned_at
      from said
      full join hotkey_ban b on 'hotkey/' || b.hotkey = said.object
      where coalesce(said.action = 'hotkey.ban', false) <> (b.hotkey is not null)`,
  },
  {
    id: 'INV-44',
    rule: 'no entry of the audit log holds a secret',
    of: 'audit_log',
    find: (sql) => sql`
      select seq, action, object
      from audit_log
      where detail::text ~* '"[a-z_]*(?:secret|password|token|api_?key|private)[a-z_]*":'`,
  },
];
