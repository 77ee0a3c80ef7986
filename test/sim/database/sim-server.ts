import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { migrate } from '../../../infra/postgres/migrate.ts';
import { temporaryPostgres } from '../../support/temporary-servers.ts';
import { ServerClock } from './server-clock.ts';

/**
 * The one part that is real: the commit function is what is to be tested, so PostgreSQL runs it. The
 * server does nothing by itself (no autovacuum, no checkpoint in the middle), and its clock is the
 * world's.
 */
export interface SimServer extends AsyncDisposable {
  /** A database with the newest schema and nothing in it, the same to the byte each time. */
  freshDatabase(): Promise<DatabaseCopy>;
  drop(copy: DatabaseCopy): Promise<void>;
}

export interface DatabaseCopy {
  readonly url: string;
  /** The server's: one copy is in use at a time. */
  readonly clock: ServerClock;
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
  const clock = new ServerClock(join(server.folder, 'data'));
  const template = databaseUrl(server.url, 'sim_template');
  await admin.unsafe('create database sim_template');
  await migrate(template);
  const schema = createSql({ url: template, max: 1, applicationName: 'sim' });
  await schema.unsafe('grant execute on function pg_read_file(text, bigint, bigint) to public');
  for (const [name, what] of clocks) {
    await schema.unsafe(`
      create or replace function rt.${name}() returns timestamptz
      language sql volatile as $$ select ${ServerClock.says(what)} $$`);
  }
  await shrink(schema);
  await patch?.(schema);
  await closeSql(schema);
  return {
    freshDatabase: async () => {
      const name = `sim_${randomBytes(6).toString('hex')}`;
      await admin.unsafe(`create database ${name} template sim_template strategy file_copy`);
      return { url: databaseUrl(server.url, name), clock };
    },
    drop: async ({ url }) => {
      await admin.unsafe(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    },
    [Symbol.asyncDispose]: async () => {
      await closeSql(admin);
      clock[Symbol.dispose]();
      await server.stop();
    },
  };
}

const clocks = [
  ['clock', 'domainUs'],
  ['wall_clock', 'wallUs'],
] as const;

/** Eval partitions 0 to 7, and those of the races of suites 1 and 2. */
export const evalPartitionsKept = 8;
export const partitionsKept = evalPartitionsKept + 3;

/**
 * Most of 64 partitions would only be taken over, again and again: a few versions a day meet in a
 * few. Orders to all partitions lose the copies to those that are not there.
 */
async function shrink(sql: Sql): Promise<void> {
  await sql.unsafe(`
    delete from rt.partition
    where kind = 'eval' and part >= ${evalPartitionsKept} or kind = 'race' and part not in (1, 2);
    create function rt.sim_drop_outbox() returns trigger language plpgsql as $$
    begin
      if new.target_consumer = 'evt' and not exists (
        select from rt.partition where kind = new.target_kind and part = new.target_part
      ) then
        return null;
      end if;
      return new;
    end $$;
    create trigger sim_drop_outbox before insert on rt.outbox
    for each row execute function rt.sim_drop_outbox()`);
}

const quietSettings = [
  ['autovacuum', 'off'],
  ['checkpoint_timeout', "'1d'"],
  ['max_wal_size', "'8GB'"],
  ['bgwriter_lru_maxpages', '0'],
  // A tenth of a day is planning, and nothing here is so large that a plan for its values pays.
  ['plan_cache_mode', 'force_generic_plan'],
] as const;

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
