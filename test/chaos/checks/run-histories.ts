import type { Sql } from '../../../infra/ports/sql.ts';
import type { Attempt, History } from '../clients/history.ts';
import { checkLinearizable } from './linearizable.ts';
import { type RunOperation, runModel } from './run-model.ts';

/** What the database tells of a run. Times are Unix milliseconds. */
export interface RunRow {
  readonly id: string;
  readonly status: string;
  readonly taskIds: readonly string[];
  /** When the service ended it by itself. */
  readonly endedByServiceMs: number | null;
}

export interface RunVerdicts {
  readonly checked: number;
  readonly operations: number;
  readonly undecided: number;
  readonly violations: readonly string[];
}

// The commit reads its clock a little before others see what it did.
const visibleMs = { before: 100, after: 6_000 };

/** Whether what clients saw of each run fits into one order, together with what was stored. */
export async function runVerdicts(sql: Sql, history: History): Promise<RunVerdicts> {
  const attemptsByRun = Map.groupBy(
    history.attempts.filter(isOfRun),
    ({ sent, told }) => sent.evalRunId ?? told.evalRunId ?? '',
  );
  const rows = new Map((await readRuns(sql)).map((row) => [row.id, row]));
  const violations: string[] = [];
  let operations = 0;
  let undecided = 0;
  for (const [id, attempts] of attemptsByRun) {
    const row = rows.get(id);
    if (row === undefined) {
      violations.push(`run ${id} is not there`);
      continue;
    }
    const all = operationsOf(attempts, row);
    operations += all.length;
    const verdict = checkLinearizable(runModel, all);
    if (verdict.kind === 'undecided') undecided += 1;
    if (verdict.kind !== 'impossible') continue;
    const first = verdict.left.toSorted((a, b) => a.returnMs - b.returnMs)[0];
    violations.push(
      `run ${id}: ${first === undefined ? 'no order' : describe(first)} fits nowhere after ` +
        verdict.done.map(describe).join(', '),
    );
  }
  return { checked: attemptsByRun.size, operations, undecided, violations };
}

/** An answered claim, and every attempt at a run that changed something or was told something. */
function isOfRun({ sent, told, outcome, code }: Attempt): boolean {
  if (sent.kind === 'claim') return told.evalRunId !== undefined;
  if (sent.evalRunId === undefined) return false;
  // A heartbeat changes nothing that anybody could see later.
  if (outcome === 'unknown') return sent.kind !== 'heartbeat';
  // Of the caller or the moment, not of the run.
  return outcome === 'acknowledged' || !callersOwn.has(code);
}

const callersOwn: ReadonlySet<string> = new Set([
  'BANNED',
  'INVALID_SESSION',
  'INVALID_SIGNATURE',
  'NONCE_REUSED',
  'NOT_REGISTERED',
  'OVERLOADED',
  'RATE_LIMITED',
  'TIMESTAMP_SKEW',
]);

/** What happened to one run: what clients tried, how the service ended it, and what is stored. */
export function operationsOf(attempts: readonly Attempt[], row: RunRow): RunOperation[] {
  const promises = attempts.flatMap(({ told, callMs }) =>
    told.leaseUntilMs === undefined ? [] : [{ callMs, untilMs: told.leaseUntilMs }],
  );
  const operations: RunOperation[] = attempts.map((attempt) => {
    const { returnMs, outcome } = attempt;
    const isOptional = outcome === 'unknown';
    // Promises that were asked for after this answer are no part of what it knew.
    const known = promises.filter((promise) => promise.callMs < returnMs);
    const isPastLease = known.every(({ untilMs }) => untilMs <= returnMs);
    const until = isOptional ? Number.POSITIVE_INFINITY : returnMs;
    return {
      ...{ kind: 'client', attempt, isPastLease, isOptional },
      ...{ callMs: earliestMs(attempt), returnMs: until },
    };
  });
  if (row.endedByServiceMs !== null) {
    operations.push({
      kind: 'ended',
      status: row.status === 'STALE' ? 'STALE' : 'CANCELLED',
      callMs: row.endedByServiceMs - visibleMs.before,
      returnMs: row.endedByServiceMs + visibleMs.after,
      isOptional: false,
    });
  }
  const { status, taskIds } = row;
  const endMs = Number.MAX_SAFE_INTEGER;
  operations.push({
    ...{ kind: 'seen', status, taskIds, callMs: endMs, returnMs: endMs, isOptional: false },
  });
  return operations;
}

/** What a keyed claim was granted may be what its first try was, which had no answer that names the run. */
function earliestMs({ sent, callMs, firstCallMs }: Attempt): number {
  return sent.kind === 'claim' && sent.isKeyed ? firstCallMs : callMs;
}

async function readRuns(sql: Sql): Promise<readonly RunRow[]> {
  return await sql<RunRow[]>`
    select r.eval_run_id as id,
           case when r.status in ('CLAIMED', 'RUNNING') then 'live' else r.status end as status,
           coalesce(
             (select array_agg(e.task_id) from episode_result e
              where e.eval_run_id = r.eval_run_id), '{}') as "taskIds",
           (select extract(epoch from v.at) * 1000
            from rt.event v
            where v.machine = 'evaluation-run' and v.key = r.eval_run_id::text
              and (v.type = 'STALED'
                   or v.type = 'CANCELLED' and v.payload ->> 'reason' <> 'RELEASED')
           )::float8 as "endedByServiceMs"
    from evaluation_run r`;
}

function describe(operation: RunOperation): string {
  if (operation.kind === 'ended') return `ended ${operation.status}`;
  if (operation.kind === 'seen') {
    return `seen ${operation.status} with ${operation.taskIds.length} results`;
  }
  const { sent, told, status, code, outcome, callMs, returnMs } = operation.attempt;
  const answer = outcome === 'unknown' ? 'unknown' : `${status} ${code}${told.runStatus ?? ''}`;
  const items = told.statuses === undefined ? '' : ` [${told.statuses.join(' ')}]`;
  const at = `${clock(callMs)}-${Number.isFinite(returnMs) ? clock(returnMs) : 'never'}`;
  return `${sent.kind} ${answer}${items} (${at})`;
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
