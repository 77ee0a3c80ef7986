import { ConfigInvalid, readConfig } from '../../infra/config/config.ts';
import { setPasswords } from '../../infra/postgres/logins.ts';
import { migrate } from '../../infra/postgres/migrate.ts';

/**
 * Brings the database to the newest schema and says what it did, one line a migration; then gives the
 * processes' logins the passwords that it was told.
 */
try {
  const config = readConfig(process.env, { process: 'migrate' });
  for (const name of await migrate(config.databaseUrl)) console.error(`applied ${name}`);
  await setPasswords(config.databaseUrl, {
    edge: config.databaseEdgePassword,
    coordinator: config.databaseCoordinatorPassword,
  });
} catch (error) {
  console.error(error instanceof ConfigInvalid ? error.message : error);
  process.exitCode = 1;
}
