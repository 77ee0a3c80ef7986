import { ConfigInvalid, readConfig } from '../../infra/config/config.ts';
import { migrate } from '../../infra/postgres/migrate.ts';

/** Brings the database to the newest schema and says what it did, one line a migration. */
try {
  const config = readConfig(process.env, { process: 'migrate' });
  for (const name of await migrate(config.databaseUrl)) console.error(`applied ${name}`);
} catch (error) {
  console.error(error instanceof ConfigInvalid ? error.message : error);
  process.exitCode = 1;
}
