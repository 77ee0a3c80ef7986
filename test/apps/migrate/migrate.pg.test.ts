import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startPostgres } from '../../../infra/local/postgres.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { systemEnv } from '../../support/system-env.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

const main = join(import.meta.dirname, '../../../apps/migrate/main.ts');

function migrate(
  databaseUrl: string,
  ...args: readonly string[]
): Promise<{ code: number; output: string }> {
  const env = { ...systemEnv(), DATABASE_URL: databaseUrl };
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

/** With fsync, unlike those that tests share. */
async function fitServer(t: ExecutionContext) {
  const folder = await temporaryFolder();
  const server = await startPostgres({ dataDir: join(folder, 'data') });
  t.teardown(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });
  return server;
}

test('a database that no coordinator would work on is left as it is', async (t) => {
  const server = await fitServer(t);
  const urlOf = (name: string) => server.url.replace(/\/postgres$/, `/${name}`);
  const admin = createSql({ url: server.url, applicationName: 'admin', max: 1 });
  await admin`create database latin encoding 'LATIN1' locale 'C' template template0`;
  await admin`create database paddock encoding 'UTF8' template template0`;
  await closeSql(admin);

  const refused = await migrate(urlOf('latin'));
  const latin = createSql({ url: urlOf('latin'), applicationName: 'look', max: 1 });
  const tables = await latin`select from pg_tables where schemaname = 'public'`;
  await closeSql(latin);
  const first = await migrate(urlOf('paddock'));
  const second = await migrate(urlOf('paddock'));

  t.is(refused.code, 1);
  t.regex(refused.output, /unfit database: its encoding is LATIN1; create the database with UTF8/);
  t.is(tables.length, 0);
  t.is(first.code, 0, first.output);
  t.regex(first.output, /^applied 0001_\w+$/m);
  t.deepEqual(second, { code: 0, output: '' });
});

// A dump is restored after the roles that it names, and brings its database with it.
test('the roles are made on a server that has no database of ours yet', async (t) => {
  const server = await fitServer(t);
  const url = server.url.replace(/\/postgres$/, '/paddock');

  const first = await migrate(url, '--roles-only');
  const second = await migrate(url, '--roles-only');
  const whole = await migrate(url);

  t.is(first.code, 0, first.output);
  t.regex(first.output, /^created role paddock_edge_login$/m);
  t.deepEqual(second, { code: 0, output: '' });
  t.is(whole.code, 1);
  t.regex(whole.output, /database "paddock" does not exist/);
});
