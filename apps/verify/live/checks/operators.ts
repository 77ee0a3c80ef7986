import { AuditChain, type AuditRow } from '../../audit/chain.ts';
import type { Check } from './check.ts';

const pageRows = 1_000;

/** INV-44: what operators did. */
export const operatorChecks: readonly Check[] = [
  {
    id: 'INV-44',
    rule: 'the chain of the audit log holds from its first entry to its last',
    of: 'audit_log',
    find: async (sql) => {
      const chain = new AuditChain();
      // Below the first number too: nothing may stand there.
      for (let after = '-9223372036854775808'; ; ) {
        const page = await sql<(AuditRow & { readonly at: string })[]>`
          select seq::text as at, seq::float8 as seq, actor, action, object, reason, detail,
            prev_hash as "prevHash", hash,
            (extract(epoch from committed_at) * 1000)::float8 as "committedAtMs"
          from audit_log
          where seq > ${after}::bigint
          order by audit_log.seq
          limit ${pageRows}`;
        for (const row of page) {
          const flaw = chain.follow(row);
          if (flaw !== undefined) return [flaw];
        }
        const last = page.at(-1);
        if (last === undefined || page.length < pageRows) return [];
        after = last.at;
      }
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
    id: 'INV-44',
    rule: 'no entry of the audit log holds a secret',
    of: 'audit_log',
    find: (sql) => sql`
      select seq, action, object
      from audit_log
      where detail::text ~* '"[a-z_]*(?:secret|password|token|api_?key|private)[a-z_]*":'`,
  },
];
