import type { Logger } from '../infra/ports/log.ts';
import type { Sql } from '../infra/ports/sql.ts';
import { isOutage, isRefusedLogin } from '../infra/postgres/failure.ts';
import { mightyLogin } from '../infra/postgres/login-rights.ts';

/** A process works with any login, and says at its start when that one is more than it needs. */
export async function warnOfMightyLogin(sql: Sql, log: Logger): Promise<void> {
  try {
    const login = await mightyLogin(sql);
    if (login === undefined) return;
    log.warn('the login of DATABASE_URL may do more than this process needs', { login });
  } catch (error) {
    // An edge starts without its database.
    if (!isOutage(error) || isRefusedLogin(error)) throw error;
  }
}
