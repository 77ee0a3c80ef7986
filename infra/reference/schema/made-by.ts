import type { Sql } from '../../ports/sql.ts';
import { migrate, readMigrations } from '../../postgres/migrate.ts';

/** Migrations by their names. */
export interface History {
  /** Those that made and changed each table, view and function, oldest first. */
  readonly changes: ReadonlyMap<string, readonly string[]>;
  /** The one that wrote the text of each function, whatever the function was called then. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Brings an empty database to the newest schema and looks after each migration what has become another:
 * what the text of a migration says need not be what it does.
 */
export async function migrateWatched(databaseUrl: string, sql: Sql): Promise<History> {
  const changes = new Map<string, string[]>();
  const written = new Map<string, string>();
  let before = new Map<string, string>();
  for (const { version, name } of await readMigrations()) {
    await migrate(databaseUrl, version);
    const after = await definitions(sql);
    for (const [thing, definition] of after) {
      const known = before.has(thing) ? (changes.get(thing) ?? []) : [];
      if (before.get(thing) !== definition) changes.set(thing, [...known, name]);
    }
    for (const { text } of await functionTexts(sql)) {
      if (!written.has(text)) written.set(text, name);
    }
    before = after;
  }
  const texts = (await functionTexts(sql)).map(
    ({ signature, text }) => [signature, written.get(text) ?? ''] as const,
  );
  return { changes, texts: new Map(texts) };
}

/** Without the rights: those of all tables change together, and say nothing of one. */
async function definitions(sql: Sql): Promise<Map<string, string>> {
  const rows = await sql<{ thing: string; definition: string }[]>`
    select oid::regprocedure::text as thing, pg_get_functiondef(oid) as definition
    from pg_proc
    where pronamespace::regnamespace::text in ('public', 'rt', 'audit')
    union all
    select c.oid::regclass::text, concat_ws(chr(10),
      case c.relkind when 'v' then pg_get_viewdef(c.oid) end,
      (select string_agg(format('%s %s %s %s', a.attname, format_type(a.atttypid, a.atttypmod),
          a.attnotnull, pg_get_expr(d.adbin, d.adrelid)), ',' order by a.attnum)
        from pg_attribute a
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      (select string_agg(pg_get_constraintdef(k.oid), ',' order by k.oid)
        from pg_constraint k where k.conrelid = c.oid),
      (select string_agg(pg_get_indexdef(i.indexrelid), ',' order by i.indexrelid)
        from pg_index i where i.indrelid = c.oid),
      (select string_agg(pg_get_triggerdef(t.oid), ',' order by t.oid)
        from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal))
    from pg_class c
    where c.relnamespace::regnamespace::text in ('public', 'rt', 'audit') and c.relkind in ('r', 'v')`;
  return new Map(rows.map(({ thing, definition }) => [thing, definition]));
}

/** With the number that a function keeps when it is renamed: two functions may have the same body. */
async function functionTexts(sql: Sql) {
  return await sql<{ signature: string; text: string }[]>`
    select oid::regprocedure::text as signature, format('%s %s', oid, prosrc) as text
    from pg_proc
    where pronamespace::regnamespace::text in ('public', 'rt', 'audit')`;
}
