import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { randomHex } from '../ids/ids.ts';
import type { Sql } from '../ports/sql.ts';
import { closeSql, createSql } from './client.ts';
import { transaction } from './transaction.ts';

/** Who each kind of process comes in as; made by migration 0021. */
export const logins = {
  edge: 'paddock_edge_login',
  coordinator: 'paddock_coordinator_login',
} as const;

export type LoginKind = keyof typeof logins;

/** The same database for a kind of process, where no passwords are asked for. */
export function loginUrl(databaseUrl: string, kind: LoginKind): string {
  const url = new URL(databaseUrl);
  url.username = logins[kind];
  url.password = '';
  return url.href;
}

/**
 * Sets those that are given, unless another database of the server works with one of them: logins belong to
 * the whole server, and that one's processes would be shut out. Neither the server nor its log ever
 * sees a password.
 */
export async function setPasswords(
  databaseUrl: string,
  passwords: Readonly<Record<LoginKind, string | undefined>>,
): Promise<void> {
  const sql = createSql({ url: databaseUrl, max: 1, applicationName: 'paddock logins' });
  try {
    const given = (['edge', 'coordinator'] as const).filter(
      (kind) => passwords[kind] !== undefined,
    );
    for (const kind of given) await refuseShared(sql, logins[kind]);
    for (const kind of ['edge', 'coordinator'] as const) {
      const password = passwords[kind];
      if (password !== undefined) await setVerifier(sql, logins[kind], scramVerifier(password));
    }
  } finally {
    await closeSql(sql);
  }
}

/** Who is not connected now is not seen: this is for the mistake, not against somebody. */
async function refuseShared(sql: Sql, login: string): Promise<void> {
  const [other] = await sql<{ database: string }[]>`
    select datname as database from pg_stat_activity
    where usename = ${login} and datname <> current_database() limit 1`;
  if (other === undefined) return;
  throw new Error(
    `${login} works on the database "${other.database}" of this server, and another password would shut it ` +
      'out: a server has one installation, since logins belong to all of it. Put this database on a server of ' +
      "its own; where that other one is not in use any more, end its processes first. No login's password was changed",
  );
}

async function setVerifier(sql: Sql, login: string, verifier: string): Promise<void> {
  await transaction(sql, {}, async (tx) => {
    // ALTER ROLE takes no parameters.
    await tx`
      select set_config('paddock.login', ${login}, true),
        set_config('paddock.verifier', ${verifier}, true)`;
    await tx`
      do $$ begin
        execute format('alter role %I password %L', current_setting('paddock.login'),
                       current_setting('paddock.verifier'));
      end $$`;
  });
}

/** What PostgreSQL itself works with. */
const iterations = 4096;

/** RFC 5803, for passwords of ASCII, which SASLprep leaves as they are. */
function scramVerifier(password: string, saltHex = randomHex(16)): string {
  const salt = Buffer.from(saltHex, 'hex');
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${server}`;
}
