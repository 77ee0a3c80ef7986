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
]);

/** serialization_failure, deadlock_detected, lock_not_available. */
const contended = new Set(['40001', '40P01', '55P03']);
/**
 * query_canceled (the statement timeout), cannot_connect_now, read_only_sql_transaction (a standby),
 * and want of disk, memory or connections.
 */
const unavailable = new Set([
  '57014',
  '57P03',
  '25006',
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
]);

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
}

export function failureKind(error: unknown): FailureKind {
  const code = codeOf(error);
  if (neverSent.has(code) || unavailable.has(code)) return 'unavailable';
  if (contended.has(code)) return 'contended';
  return isTakenBack(error) ? 'invalid' : 'ambiguous';
}

/**
 * The server answers ERROR for a statement that it took back whole, whatever the reason was. FATAL
 * and PANIC end the connection, and tell nothing of a statement that was done just before.
 */
function isTakenBack(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return false;
  // statement_completion_unknown says what it says.
  return error.severity === 'ERROR' && error.code !== '40003';
}

/** True when the database cannot be asked now, whatever became of the statement. */
export function isOutage(error: unknown): boolean {
  const kind = failureKind(error);
  if (kind === 'unavailable' || kind === 'contended') return true;
  const code = codeOf(error);
  return /^(CONNECTION_|ECONN|EPIPE|ETIMEDOUT|57P|08|58)/.test(code);
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
