import { inspect } from 'node:util';
import { ConfigInvalid } from '../infra/config/config.ts';
import { OtherInstallation } from '../infra/nats/installation.ts';
import { outageText } from './outage-text.ts';

/**
 * Why a process did not start: one sentence where a setting or a neighbour is to be mended. Of what nobody
 * expected the stack comes first, and its last line says it once more, for that is the one that is read.
 */
export function startFailureText(error: unknown): string {
  if (error instanceof ConfigInvalid || error instanceof OtherInstallation) return error.message;
  if (!(error instanceof Error)) return `could not start: ${String(error)}`;
  const known = outageText(error) ?? portText(error) ?? refusedByDatabase(error);
  return known ?? `${inspect(error)}\ncould not start: ${error.message}`;
}

function portText(error: NodeJS.ErrnoException & { readonly port?: unknown }): string | undefined {
  if (error.syscall !== 'listen') return undefined;
  if (error.code === 'EADDRINUSE') return `another process listens at port ${error.port} already`;
  return `it may not listen at port ${error.port}: ${error.message}`;
}

/** An unknown database, or a login that may not do what it is for. */
function refusedByDatabase({ name, message }: Error): string | undefined {
  return name === 'PostgresError' ? `the database: ${message}` : undefined;
}
