import { ConfigInvalid, readConfig } from '../../infra/config/config.ts';
import { checkServer } from '../../infra/postgres/check-server.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { setPasswords } from '../../infra/postgres/logins.ts';
import { migrate } from '../../infra/postgres/migrate.ts';

/**
 * Brings the database to the newest schema and says what it did, one line a migration; then gives the
 * processes' logins the passwords that it was told. Leaves a server as it is that no coordinator would
 * work on: an encoding cannot be mended once there is data.
 */
try {
  const config = readConfig(process.env, { process: 'migrate' });
  await refuseUnfit(config.databaseUrl);
  for (const name of await migrate(config.databaseUrl)) console.error(`applied ${name}`);
  await setPasswords(config.databaseUrl, {
    edge: config.databaseEdgePassword,
    coordinator: config.databaseCoordinatorPassword,
  });
} catch (error) {
  console.error(error instanceof ConfigInvalid ? error.message : error);
  process.exitCode = 1;
}

async function refuseUnfit(url: string): Promise<void> {
  const sql = createSql({ url, applicationName: 'migrate', max: 1 });
  try {
    await checkServer(sql);
  } finally {
    await closeSql(sql);
  }
}
