import type { DatabaseRole } from '../../infra/postgres/client.ts';
import { logins } from '../../infra/postgres/logins.ts';

/** What one of the processes' logins takes on to read; anybody else reads by the login's own rights. */
export function roleOf(databaseUrl: string): DatabaseRole | undefined {
  const { username } = new URL(databaseUrl);
  if (username === logins.edge) return 'paddock_edge';
  return username === logins.coordinator ? 'paddock_service' : undefined;
}
