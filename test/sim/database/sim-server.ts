import { randomBytes } from 'node:crypto';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { migrate } from '../../../infra/postgres/migrate.ts';
import { temporaryPostgres } from '../../support/temporary-servers.ts';

/**
 * The one part that is real: the commit function is what is to be tested, so PostgreSQL runs it. The
 * server does nothing by itself (no autovacuum, no checkpoint in the middle), and its clock is the
 * world's.
 */
export interface SimServer extends AsyncDisposable {
  /** A database with the newest schema and nothing in it, the same to the byte each time. */
  freshDatabase(): Promise<string>;
  drop(url: string): Promise<void>;
}

/** `patch` runs on the schema before it is copied: the place for a planted defect in SQL. */
export async function startSimServer(patch?: (sql: Sql) => Promise<void>): Promise<SimServer> {
  const server = await temporaryPostgres();
  const admin = createSql({
    ...{ url: server.url, max: 1, applicationName: 'sim', statementTimeoutMs: 0 },
  });
  for (const [name, value] of quietSettings) {
    await admin.unsafe(`alter system set ${name} = ${value}`);
  }
  await admin`select pg_reload_conf()`;
  const template = databaseUrl(server.url, 'sim_template');
  await admin.unsafe('create database sim_template');
  await migrate(template);
  const schema = createSql({ url: template, max: 1, applicationName: 'sim' });
  for (const name of ['clock', 'wall_clock']) {
    await schema.unsafe(`
      create or replace function rt.${name}() returns timestamptz
      language sql volatile as $$ select current_setting('sim.${name}')::timestamptz $$`);
  }
  await patch?.(schema);
  await closeSql(schema);
  return {
    freshDatabase: async () => {
      const name = `sim_${randomBytes(6).toString('hex')}`;
      await admin.unsafe(`create database ${name} template sim_template strategy file_copy`);
      return databaseUrl(server.url, name);
    },
    drop: async (url) => {
      await admin.unsafe(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    },
    [Symbol.asyncDispose]: async () => {
      await closeSql(admin);
      await server.stop();
    },
  };
}

const quietSettings = [
  ['autovacuum', 'off'],
  ['checkpoint_timeout', "'1d'"],
  ['max_wal_size', "'8GB'"],
  ['bgwriter_lru_maxpages', '0'],
] as const;

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
