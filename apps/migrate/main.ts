import { parseArgs } from 'node:util';
import { readConfig } from '../../infra/config/config.ts';
import { checkServer } from '../../infra/postgres/check-server.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { setPasswords } from '../../infra/postgres/logins.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import { createRoles } from '../../infra/postgres/roles.ts';
import { endText } from '../start-failure.ts';

const usage = `node infra/with-node.mjs apps/migrate/main.ts [--roles-only]

Makes the server's missing roles, brings the database that DATABASE_URL names to the newest schema, and
gives the processes' logins DATABASE_EDGE_PASSWORD and DATABASE_COORDINATOR_PASSWORD. DATABASE_URL is
that of the database's owner.

  --roles-only  make the roles and leave the database as it is, also where there is none yet: before a
                backup is restored
  --help        show this`;

/**
 * Makes the roles that the server lacks, brings the database to the newest schema and says what it did,
 * one line each; then gives the processes' logins the passwords that it was told. Leaves a server as it
 * is that no coordinator would work on: an encoding cannot be mended once there is data.
 */
async function run(isRolesOnly: boolean): Promise<void> {
  const config = readConfig(process.env, { process: 'migrate' });
  if (isRolesOnly) {
    await makeRoles(await databaseThere(config.databaseUrl));
    return;
  }
  await refuseUnfit(config.databaseUrl);
  await makeRoles(config.databaseUrl);
  await migrate(config.databaseUrl, undefined, (line) => console.error(line));
  await setPasswords(config.databaseUrl, {
    edge: config.databaseEdgePassword,
    coordinator: config.databaseCoordinatorPassword,
  });
}

async function makeRoles(url: string): Promise<void> {
  for (const name of await createRoles(url)) console.error(`created role ${name}`);
}

/**
 * Where roles can be made: they belong to the whole server, and on an empty one the database comes with its
 * dump, after them.
 */
async function databaseThere(url: string): Promise<string> {
  const ofServer = url.replace(/^(\w+:\/\/[^/?]*)[^?]*/, '$1/postgres');
  try {
    await refuseUnfit(url);
    return url;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === noSuchDatabase)) throw error;
    await refuseUnfit(ofServer);
    return ofServer;
  }
}

const noSuchDatabase = '3D000';

async function refuseUnfit(url: string): Promise<void> {
  const sql = createSql({ url, applicationName: 'migrate', max: 1 });
  try {
    await checkServer(sql);
  } finally {
    await closeSql(sql);
  }
}

/** Undefined where the line is not one of ours, which has been said. */
function optionsOf(args: readonly string[]) {
  const options = { 'roles-only': { type: 'boolean' }, help: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

const options = optionsOf(process.argv.slice(2));
if (options === undefined) process.exitCode = 2;
else if (options.help === true) console.log(usage);
else {
  try {
    await run(options['roles-only'] === true);
  } catch (error) {
    console.error(endText(error));
    process.exitCode = 1;
  }
}
