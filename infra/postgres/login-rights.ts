import type { Sql } from '../ports/sql.ts';

/**
 * The login that a pool comes in with, where it is more than the roles that it takes on: words that
 * somebody smuggled into a statement could then lay the role down and do more. Undefined when all is
 * well.
 */
export async function mightyLogin(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ login: string; isMighty: boolean }[]>`
    select session_user::text as login,
      l.rolsuper or l.rolcreaterole or l.rolbypassrls
        or pg_has_role(l.oid, (select relowner from pg_class where oid = 'public.audit_log'::regclass),
                       'member') as "isMighty"
    from pg_roles l
    where l.rolname = session_user`;
  return row?.isMighty === true ? row.login : undefined;
}
