import type { SqlOptions } from '../../infra/postgres/client.ts';

/**
 * For connections that wait for a lock until the test has seen them wait: the product gives up after a
 * second, which a busy machine may take to look. What the URL sets comes before what the product sets.
 */
export function patient(url: string): Pick<SqlOptions, 'statementTimeoutMs' | 'url'> {
  const patientUrl = new URL(url);
  patientUrl.searchParams.set('lock_timeout', '0');
  patientUrl.searchParams.set('idle_in_transaction_session_timeout', '0');
  return { url: patientUrl.href, statementTimeoutMs: 60_000 };
}
