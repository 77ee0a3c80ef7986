import { inspect } from 'node:util';
import { ConfigInvalid } from '../infra/config/config.ts';
import { OtherInstallation } from '../infra/nats/installation.ts';
import { outageText } from './outage-text.ts';

/**
 * Why a process did not start, or why it ended: one sentence where a setting or a neighbour is to be mended
 * before a start. Of all else the stack comes first, and the last line says it once more, for that is the one
 * that is read.
 */
export function endText(error: unknown, { wasReady = false } = {}): string {
  if (!wasReady) {
    const known = knownText(error);
    if (known !== undefined) return known;
  }
  return `${inspect(error)}\n${wasReady ? 'ended' : 'could not start'}: ${reasonOf(error)}`;
}

function knownText(error: unknown): string | undefined {
  if (error instanceof ConfigInvalid || error instanceof OtherInstallation) return error.message;
  return outageText(error) ?? portText(Object(error)) ?? refusedByDatabase(Object(error));
}

function portText({ syscall, code, port, message }: Record<string, unknown>): string | undefined {
  if (syscall !== 'listen') return undefined;
  if (code === 'EADDRINUSE') return `EADDRINUSE: another process listens at port ${port} already`;
  return `it may not listen at port ${port}: ${message}`;
}

/** An unknown database, a login that is refused, or one that may not do what it is for. */
const refusals = /^(28...|3D000|42501)$/;

function refusedByDatabase({ name, code, message }: Record<string, unknown>): string | undefined {
  const isRefusal = name === 'PostgresError' && refusals.test(String(code));
  return isRefusal ? `the database: ${message}` : undefined;
}

/** With what it came of, in one line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [first] = error instanceof AggregateError ? error.errors : [error.cause];
  const says = error.message || error.name;
  const told = first === undefined ? says : `${says}: ${reasonOf(first)}`;
  return told.replaceAll(/\s*\n\s*/g, ' ');
}
