import type { Clock } from '../../../infra/ports/clock.ts';
import { type Terminal, table } from '../../world/terminal.ts';
import type { AuditOptions } from '../options.ts';
import { AuditChain, type AuditFlaw, type AuditHead, type AuditRow } from './chain.ts';
import { auditRowsAt } from './read-api.ts';
import { auditRowsOf } from './read-database.ts';

export interface AuditVerification {
  readonly options: AuditOptions;
  readonly databaseUrl: string | undefined;
  readonly operatorToken: string | undefined;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/**
 * Follows the chain of the operators' log from its beginning, in the database, through the operator
 * API or in both; true when it holds. Throws AuditUnreadable.
 */
export async function verifyAudit(verification: AuditVerification): Promise<boolean> {
  const { options, databaseUrl, operatorToken = '', terminal, clock } = verification;
  const checks: [place: string, AuditOutcome][] = [];
  if (databaseUrl !== undefined) {
    checks.push(['database', await outcomeOf(auditRowsOf(databaseUrl), options.expected)]);
  }
  if (options.url !== undefined) {
    // What the database held a moment ago must be shown outside as well.
    const known = checks[0]?.[1].head ?? options.expected;
    checks.push([
      'API',
      await outcomeOf(await auditRowsAt({ url: options.url, clock }, operatorToken), known),
    ]);
  }
  for (const [place, { flaw }] of checks) {
    if (flaw !== undefined) terminal.line(terminal.style('red', `${place}: ${flaw.text}`));
  }
  const [, first] = checks[0] ?? [];
  if (first === undefined || checks.some(([, { flaw }]) => flaw !== undefined)) return false;
  const { seq, hash } = first.head;
  const rows = [
    ['entries', String(seq)],
    ['head', `${seq}:${hash}`],
  ];
  for (const line of table(rows)) terminal.line(line);
  terminal.line(terminal.style('green', 'The chain holds from its first entry to this head.'));
  terminal.line(
    'Keep the head where this service cannot write, and give it to --expect next time.',
  );
  return true;
}

export interface AuditOutcome {
  readonly head: AuditHead;
  readonly flaw: AuditFlaw | undefined;
}

/** Up to the first flaw: behind it nothing follows from anything. */
export async function outcomeOf(
  rows: AsyncIterable<AuditRow> | Iterable<AuditRow>,
  expected?: AuditHead,
): Promise<AuditOutcome> {
  const chain = new AuditChain(expected?.seq === 0 ? undefined : expected);
  for await (const row of rows) {
    const flaw = chain.follow(row);
    if (flaw !== undefined) return { head: chain.head, flaw };
  }
  return { head: chain.head, flaw: chain.end() };
}
