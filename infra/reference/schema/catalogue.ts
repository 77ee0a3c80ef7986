import type { Sql } from '../../ports/sql.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** As SQL; empty for none. */
  readonly preset: string;
}

export interface Relation {
  /** With its schema, unless that is `public`. */
  readonly name: string;
  readonly isView: boolean;
  readonly columns: readonly Column[];
  /** Keys, checks, indexes and triggers, as SQL would make them. */
  readonly rules: readonly string[];
  readonly grants: readonly Grant[];
}

export interface Grant {
  readonly role: string;
  readonly privilege: string;
  /** Null where it is all of them. */
  readonly column: string | null;
}

export interface Routine {
  /** As the database tells one of two of the same name from the other. */
  readonly signature: string;
  readonly schema: string;
  readonly name: string;
  readonly parameters: string;
  readonly result: string;
  readonly hasOwnersRights: boolean;
  /** Who may call it, beside the owner. */
  readonly roles: readonly string[];
  readonly body: string;
  /** The statement that makes it as it is now. */
  readonly text: string;
}

/** Which login may take on which role. */
export interface Membership {
  readonly login: string;
  readonly role: string;
}

export async function readRelations(sql: Sql): Promise<readonly Relation[]> {
  const tables = await sql<{ name: string; isView: boolean }[]>`
    select c.oid::regclass::text as name, c.relkind = 'v' as "isView"
    from pg_class c
    where c.relnamespace::regnamespace::text in ('public', 'rt', 'audit') and c.relkind in ('r', 'v')
    order by c.oid::regclass::text collate "C"`;
  const columns = await readColumns(sql);
  const rules = await readRules(sql);
  const grants = await readGrants(sql);
  return tables.map((table) => ({
    ...table,
    columns: columns.get(table.name) ?? [],
    rules: (rules.get(table.name) ?? []).map(({ rule }) => rule),
    grants: grants.get(table.name) ?? [],
  }));
}

async function readColumns(sql: Sql) {
  const rows = await sql<(Column & { table: string })[]>`
    select a.attrelid::regclass::text as table, a.attname as name,
      format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as "isNullable",
      case a.attidentity when 'a' then 'identity' when 'd' then 'identity'
        else coalesce(pg_get_expr(d.adbin, d.adrelid), '') end as preset
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped
    order by a.attnum`;
  return Map.groupBy(rows, ({ table }) => table);
}

async function readRules(sql: Sql) {
  const rows = await sql<{ table: string; rule: string }[]>`
    select "table", rule
    from (
      select conrelid::regclass::text as "table", position(contype::text in 'pufcx') as place,
        pg_get_constraintdef(oid) as rule
      from pg_constraint
      -- Whether a column may be null stands with the column.
      where conrelid <> 0 and contype <> 'n'
      union all
      select i.indrelid::regclass::text, 6, regexp_replace(
        pg_get_indexdef(i.indexrelid), '^CREATE (.*) ON [a-z_.]+ USING btree', '\\1')
      from pg_index i
      where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype <> 'f')
      union all
      select tgrelid::regclass::text, 7, regexp_replace(
        pg_get_triggerdef(oid), '^CREATE (.*) ON [a-z_.]+( REFERENCING| FOR)', '\\1\\2')
      from pg_trigger where not tgisinternal
    ) found
    order by place, rule collate "C"`;
  return Map.groupBy(rows, ({ table }) => table);
}

async function readGrants(sql: Sql) {
  const rows = await sql<(Grant & { table: string })[]>`
    with relation as (
      select oid, oid::regclass::text as "table", relowner, relacl from pg_class
    ), given as (
      select "table", x.grantee, x.privilege_type, null::text as "column"
      from relation, aclexplode(relacl) x
      where x.grantee not in (0, relowner)
      union all
      select "table", x.grantee, x.privilege_type, a.attname
      from relation
      join pg_attribute a on a.attrelid = relation.oid, aclexplode(a.attacl) x
      where x.grantee not in (0, relowner)
    )
    select "table", grantee::regrole::text as role, lower(privilege_type) as privilege, "column"
    from given
    order by role, position(privilege_type in 'SELECT INSERT UPDATE DELETE'), privilege,
      "column" collate "C"`;
  return Map.groupBy(rows, ({ table }) => table);
}

export async function readRoutines(sql: Sql): Promise<readonly Routine[]> {
  return await sql<Routine[]>`
    select p.oid::regprocedure::text as signature, n.nspname as schema, p.proname as name,
      pg_get_function_arguments(p.oid) as parameters, pg_get_function_result(p.oid) as result,
      p.prosecdef as "hasOwnersRights", p.prosrc as body, pg_get_functiondef(p.oid) as text,
      array(
        select case x.grantee when 0 then 'public' else x.grantee::regrole::text end as role
        from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
        where x.grantee <> p.proowner
        order by role
      ) as roles
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'rt', 'audit')
    order by p.proname collate "C", p.oid::regprocedure::text collate "C"`;
}

export async function readMemberships(sql: Sql): Promise<readonly Membership[]> {
  return await sql<Membership[]>`
    select m.member::regrole::text as login, m.roleid::regrole::text as role
    from pg_auth_members m
    where m.roleid::regrole::text like 'paddock%'
    order by login, role`;
}
