import type { Sql } from '../../../infra/ports/sql.ts';

/** Every row of every table as text: long values lie compressed in the files of the database. */
export async function dumpDatabase(sql: Sql): Promise<readonly string[]> {
  const tables = await sql<{ name: string }[]>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
    from pg_tables where schemaname in ('public', 'rt', 'audit')`;
  const rows: string[] = [];
  for (const { name } of tables) {
    for (const { text } of await sql.unsafe<{ text: string }[]>(
      `select r::text as text from ${name} r`,
    )) {
      // Bytes and quoted text are shown in their own spellings.
      rows.push(text, text.replaceAll('""', '"'));
    }
  }
  return rows;
}
