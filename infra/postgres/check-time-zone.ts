import postgres from 'postgres';
import type { Sql } from '../ports/sql.ts';
import { UnfitDatabase } from './check-server.ts';

/** invalid_parameter_value: what the server says of a zone that it has no file of. */
const unknownZone = '22023';

/**
 * Refuses a zone that the server does not know. The engine that read the setting has zones of its own, and a race
 * keeps the name for good: the views of the audit ask the database for dates in it.
 *
 * @throws UnfitDatabase
 */
export async function checkTimeZone(sql: Sql, timeZone: string): Promise<void> {
  try {
    await sql`select now() at time zone ${timeZone}`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && error.code === unknownZone)) throw error;
    throw new UnfitDatabase(
      `unfit database: it does not know RACE_TIME_ZONE ${timeZone}; ` +
        'set a zone that pg_timezone_names lists',
      { cause: error },
    );
  }
}
