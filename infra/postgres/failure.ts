import postgres from 'postgres';

/**
 * What a failed statement says about its transaction. `contended` and `unavailable` are certain that
 * nothing was written; whatever is not known to be certain is `ambiguous`.
 */
export type FailureKind = 'contended' | 'unavailable' | 'invalid' | 'ambiguous';

/** Client errors raised before the statement left this process. */
const neverSent = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_ENDED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'ECONNREFUSED',
  'NOT_CONNECTED',
]);

/** serialization_failure, deadlock_detected, lock_not_available. */
const contended = new Set(['40001', '40P01', '55P03']);
/**
 * query_canceled (the statement timeout), read_only_sql_transaction (a standby), and want of disk or
 * memory.
 */
const unavailable = new Set(['57014', '25006', '53000', '53100', '53200', '53400']);
/** cannot_connect_now and too_many_connections: FATAL to whom the server never let in. */
const neverLetIn = new Set(['57P03', '53300']);

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}

export function failureKind(error: unknown): FailureKind {
  const code = codeOf(error);
  if (neverSent.has(code) || neverLetIn.has(code) || code === 'NOT_TRUSTED') return 'unavailable';
  if (isRefusedLogin(error)) return 'unavailable';
  if (!isTakenBack(error)) return 'ambiguous';
  if (unavailable.has(code)) return 'unavailable';
  return contended.has(code) ? 'contended' : 'invalid';
}

/**
 * The server answers ERROR for a statement that it took back whole, whatever the reason was. FATAL
 * and PANIC end the connection, and tell nothing of a statement that was done just before: a full
 * disk ends a server in the middle of writing what it commits.
 */
function isTakenBack(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  // statement_completion_unknown says what it says.
  return error.severity === 'ERROR' && error.code !== '40003';
}

/** True when the database cannot be asked now, whatever became of the statement. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  const isKnown = [neverSent, neverLetIn, unavailable, contended].some((codes) => codes.has(code));
  return (
    isKnown || isTurnedAway(error) || /^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT|57P|08|58)/.test(code)
  );
}

/** FATAL ends the connection, or never let it begin, as for a database that takes no connections. */
function isTurnedAway(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.severity !== 'ERROR';
}

/**
 * The server let nobody in by this login, or has no such database: an operator's mistake. Whoever
 * starts says so and ends; under whoever runs a password was changed, and callers may repeat.
 */
export function isRefusedLogin(error: unknown): boolean {
  return isTurnedAway(error) && /^(28|3D)/.test(codeOf(error));
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
