import { parseArgs } from 'node:util';
import { ConfigInvalid, readConfig } from '../../infra/config/config.ts';
import { checkServer } from '../../infra/postgres/check-server.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { setPasswords } from '../../infra/postgres/logins.ts';
import { migrate } from '../../infra/postgres/migrate.ts';
import { createRoles } from '../../infra/postgres/roles.ts';

const usage = `node infra/with-node.mjs apps/migrate/main.ts [--roles-only]

Makes the server's missing roles, brings the database that DATABASE_URL names to the newest schema, and
gives the processes' logins DATABASE_EDGE_PASSWORD and DATABASE_COORDINATOR_PASSWORD. DATABASE_URL is
that of the database's owner.

  --roles-only  make the roles and leave the database as it is: before a backup is restored
  --help        show this`;

/**
 * Makes the roles that the server lacks, brings the database to the newest schema and says what it did,
 * one line each; then gives the processes' logins the passwords that it was told. Leaves a server as it
 * is that no coordinator would work on: an encoding cannot be mended once there is data.
 */
async function run(isRolesOnly: boolean): Promise<void> {
  const config = readConfig(process.env, { process: 'migrate' });
  await refuseUnfit(config.databaseUrl);
  for (const name of await createRoles(config.databaseUrl)) console.error(`created role ${name}`);
  if (isRolesOnly) return;
  await migrate(config.databaseUrl, undefined, (line) => console.error(line));
  await setPasswords(config.databaseUrl, {
    edge: config.databaseEdgePassword,
    coordinator: config.databaseCoordinatorPassword,
  });
}

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
    console.error(error instanceof ConfigInvalid ? error.message : error);
    process.exitCode = 1;
  }
}
