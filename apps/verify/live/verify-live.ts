import type { Clock } from '../../../infra/ports/clock.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import { closeSql } from '../../../infra/postgres/client.ts';
import { plainText } from '../../cli/show/plain-text.ts';
import type { Terminal } from '../../world/terminal.ts';
import { openReader, requireSchema } from '../open-reader.ts';
import type { LiveOptions } from '../options.ts';
import type { LiveRules } from './checks/check.ts';
import { everyCheck } from './checks/every-check.ts';
import { invariants } from './invariants.ts';
import { exitCodeOf, type Finding, findingOf, lineOf, summaryOf } from './report.ts';
import { type CheckOutcome, runChecks } from './run-checks.ts';

export interface LiveVerification {
  readonly options: LiveOptions;
  readonly databaseUrl: string;
  readonly rules: LiveRules;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

/**
 * Holds the invariants against the database of a running service, a line for each; the exit code:
 * 1 when one is violated, 2 when something could not be checked to its end. Throws LiveUnreadable.
 */
export async function verifyLive(verification: LiveVerification): Promise<number> {
  const { options, databaseUrl, terminal, clock } = verification;
  const sql = openReader(databaseUrl);
  const findings: Finding[] = [];
  const startedMs = clock.monotonicMs();
  try {
    await requireSchema(sql);
    for await (const finding of findingsOf(sql, verification)) {
      findings.push(finding);
      if (!options.isJson) tell(terminal, finding);
    }
  } finally {
    await closeSql(sql);
  }
  const ms = clock.monotonicMs() - startedMs;
  if (options.isJson) terminal.line(JSON.stringify({ ms: Math.round(ms), invariants: findings }));
  else terminal.line(summaryOf(findings, ms));
  return exitCodeOf(findings);
}

async function* findingsOf(
  sql: Sql,
  { options, rules, clock }: LiveVerification,
): AsyncGenerator<Finding> {
  const { only, isQuiet, isBackup, statementTimeoutMs } = options;
  for (const invariant of invariants) {
    if (only.length > 0 && !only.includes(invariant.id)) continue;
    const wanted = everyCheck.filter(
      ({ id, when }) => id === invariant.id && (when !== 'quiet' || isQuiet),
    );
    const checks = wanted.filter(({ needsProcesses }) => needsProcesses !== true || !isBackup);
    const outcomes: CheckOutcome[] = [];
    const run = { sql, checks, rules, statementTimeoutMs, clock };
    for await (const outcome of runChecks(run)) outcomes.push(outcome);
    yield findingOf(invariant, outcomes, wanted.length - checks.length);
  }
}

function tell(terminal: Terminal, finding: Finding): void {
  const { verdict, violations } = finding;
  const line = lineOf(finding);
  terminal.line(verdict === 'violated' ? terminal.style('red', line) : line);
  for (const { rule, count, examples } of violations) {
    terminal.line(terminal.style('red', `  ${rule}: broken ${count} times`));
    for (const example of examples) terminal.line(`    ${plainText(JSON.stringify(example))}`);
  }
}
