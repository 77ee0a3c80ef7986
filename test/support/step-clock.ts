import type { Sql } from '../../infra/ports/sql.ts';

/** The host of the database sets its clock ahead by so much, or right again with 0. By a superuser. */
export async function stepClock(admin: Sql, bySeconds: number): Promise<void> {
  for (const name of ['clock', 'wall_clock']) {
    await admin.unsafe(`
      create or replace function rt.${name}() returns timestamptz language sql volatile
      as $$ select clock_timestamp() + interval '${bySeconds} seconds' $$`);
  }
}
