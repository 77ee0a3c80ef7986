import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startPostgres } from '../../../infra/local/postgres.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { loginUrl } from '../../../infra/postgres/logins.ts';
import { createMembershipStore } from '../../../infra/postgres/membership-store.ts';
import { migrate, readMigrations } from '../../../infra/postgres/migrate.ts';
import { createPartitionStore } from '../../../infra/postgres/partition-store.ts';
import { testDatabase } from '../../support/cluster.ts';
import { batch } from '../../support/commit-desk.ts';
import { installCounters } from '../../support/counter-kind.ts';
import { systemEnv } from '../../support/system-env.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

const main = join(import.meta.dirname, '../../../apps/migrate/main.ts');

/** An empty server, on which the product's own migrating takes place: it wants the disk to be waited for. */
async function emptyServer(t: ExecutionContext): Promise<{ url: string; owner: Sql }> {
  const folder = await temporaryFolder();
  const server = await startPostgres({ dataDir: join(folder, 'data') });
  const owner = createSql({ url: server.url, applicationName: 'owner', max: 2 });
  t.teardown(async () => {
    await closeSql(owner);
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  return { url: server.url, owner };
}

function started(url: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const passwords = {
    DATABASE_EDGE_PASSWORD: 'edge',
    DATABASE_COORDINATOR_PASSWORD: 'coordinator',
  };
  const env = { ...systemEnv(), ...passwords, DATABASE_URL: url };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

/**
 * What `pg_restore --exit-on-error` does with a dump: everything that migrations leave in a database, the
 * rights of roles among it, and nothing of the server around it. The programs of PostgreSQL that would
 * do it are not brought along.
 */
async function restore(from: Sql, into: Sql): Promise<void> {
  const migrations = await readMigrations();
  const applied = await from`
    select version, name, checksum, applied_at
    from schema_migration`;
  await into.begin(async (tx) => {
    await tx`
      create table schema_migration (
        version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null
      )`;
    for (const { up } of migrations) await tx.unsafe(withoutRoles(up));
    await tx`insert into schema_migration ${tx(applied)}`;
  });
}

const making = /execute format\('(?:create role %I|grant %I to %I).*?\);|create role \w+ nologin;/g;

function withoutRoles(up: string): string {
  return up.replaceAll(making, 'null;');
}

/** As every commit of a coordinator comes in. */
async function committed(url: string, owner: Sql): Promise<string> {
  await installCounters(owner, 1);
  const actor = createSql({
    url: loginUrl(url, 'coordinator'),
    applicationName: 'actor',
    role: 'paddock_actor',
  });
  try {
    const members = createMembershipStore(actor);
    const identity = { memberId: 'restored', incarnation: randomUUID() };
    await members.join({ ...identity, ttlMs: 60_000, codeVersion: 1, kinds: ['counter'] });
    const ref = { kind: 'counter', part: 0 };
    const taken = await members.claim(ref, 0, identity);
    const token = { ...ref, epoch: taken?.epoch ?? -1, incarnation: identity.incarnation };
    return (await createPartitionStore(actor).commit(token, batch())).kind;
  } finally {
    await closeSql(actor);
  }
}

interface Role {
  readonly name: string;
  readonly attributes: string;
  readonly memberOf: readonly string[];
}

async function rolesOf(sql: Sql): Promise<readonly Role[]> {
  return await sql<Role[]>`
    select rolname as name,
      concat_ws(' ', rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
                rolbypassrls, rolconnlimit, rolvaliduntil) as attributes,
      array(select concat_ws(' ', m.roleid::regrole, m.admin_option, m.inherit_option, m.set_option)
            from pg_auth_members m where m.member = r.oid order by 1) as "memberOf"
    from pg_roles r
    where rolname like 'paddock%'
    order by rolname`;
}

test('an empty server takes a backup once its roles are made, and coordinators work on it', async (t) => {
  const { sql: source } = await testDatabase(t);
  const { url, owner } = await emptyServer(t);
  await t.throwsAsync(restore(source, owner), { message: /role "paddock_edge" does not exist/ });

  const first = await started(url, '--roles-only');
  const second = await started(url, '--roles-only');
  const [{ tables } = {}] = await owner<{ tables: number }[]>`
    select count(*)::integer as tables from pg_tables where schemaname in ('public', 'rt')`;
  await restore(source, owner);
  const third = await started(url);

  t.is(first.code, 0, first.output);
  t.regex(first.output, /^created role paddock_edge$/m);
  t.is(tables, 0);
  t.deepEqual(second, { code: 0, output: '' });
  t.deepEqual(third, { code: 0, output: '' });
  const passwords = await owner`
    select rolname from pg_authid where rolpassword like 'SCRAM-SHA-256%' and rolname like 'paddock%'`;
  t.is(passwords.length, 2);
  t.is(await committed(url, owner), 'committed');
});

test('roles are the same whether migrations or the command make them', async (t) => {
  const [one, other] = [await emptyServer(t), await emptyServer(t)];

  await migrate(one.url);
  const { code, output } = await started(other.url, '--roles-only');

  t.is(code, 0, output);
  t.deepEqual(await rolesOf(other.owner), await rolesOf(one.owner));
  t.is((await rolesOf(one.owner)).length, 6);
});

test('a slip in the line is answered before anything is done', async (t) => {
  const slip = await started('postgres://127.0.0.1:1/none', '--role-only');

  t.is(slip.code, 2);
  t.regex(slip.output, /--role-only/);
  t.regex(slip.output, /apps\/migrate\/main\.ts \[--roles-only\]/);
});
