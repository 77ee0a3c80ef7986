import type { Fragment, Sql } from '../../../../infra/ports/sql.ts';
import type { Check } from './check.ts';

/**
 * INV-25 for code: it is released when its version becomes top, else so long after its submission and no
 * sooner or later (rules.md 6). Judged by the setting of today, also what was told under another one.
 */
export const codeReleaseChecks: readonly Check[] = [
  {
    id: 'INV-25',
    rule: 'code is released at its age, or when its version became top before that',
    of: 'public_release',
    // That a version became top is news, which may be on its way.
    find: releases(
      (sql) => sql`
        p.id is not null and (p.reason, p.due_at) is distinct from (law.reason, law.due_at)
          and (p.told_at, p.reason, p.due_at) is distinct from (null, 'AGED', law.aged_at)`,
    ),
  },
  {
    id: 'INV-25',
    rule: 'no code is old enough to be released while its release is not even planned',
    of: 'agent_version',
    needsProcesses: true,
    find: releases((sql) => sql`p.id is null and law.aged_at < rt.clock() - interval '90 seconds'`),
  },
  {
    id: 'INV-25',
    rule: 'the release of the code of every version is planned, for its age or for its reign',
    of: 'agent_version',
    when: 'quiet',
    find: releases((sql) => sql`(p.reason, p.due_at) is distinct from (law.reason, law.due_at)`),
  },
];

/** Versions of whose release this is so; none where nobody says how old code must be. */
function releases(isWrong: (sql: Sql) => Fragment): Check['find'] {
  return async (sql, rules) => {
    const privateMs = rules?.codePrivateMs;
    if (privateMs === undefined) return [];
    return await sql`
      select v.agent_version_id, v.submitted_at, law.reason as reason_by_law, law.due_at as due_by_law,
        p.reason, p.due_at, p.told_at
      from agent_version v
      left join (
        select agent_version_id, min(top_at) as at from top_agent group by agent_version_id) top
        on top.agent_version_id = v.agent_version_id
      cross join lateral (
        select v.submitted_at + ${privateMs}::float8 * interval '1 millisecond' as aged_at) aged
      cross join lateral (
        select aged.aged_at, least(aged.aged_at, top.at) as due_at,
          case when top.at < aged.aged_at then 'TOP' else 'AGED' end as reason) law
      left join public_release p on p.kind = 'CODE' and p.id = v.agent_version_id
      where ${isWrong(sql)}`;
  };
}
