import type { DatabaseRole } from '../../infra/postgres/client.ts';
import { logins } from '../../infra/postgres/logins.ts';
import { serverUrls } from '../../infra/postgres/server-urls.ts';

/** What one of the processes' logins takes on to read; anybody else reads by the login's own rights. */
export function roleOf(databaseUrl: string): DatabaseRole | undefined {
  const [first = databaseUrl] = serverUrls(databaseUrl);
  const { username } = new URL(first);
  if (username === logins.edge) return 'paddock_edge';
  return username === logins.coordinator ? 'paddock_service' : undefined;
}
