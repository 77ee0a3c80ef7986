import type { Sql } from '../../../infra/ports/sql.ts';
import type { History } from '../clients/history.ts';
import type { Injected } from '../faults/injector.ts';

/** How late the work of silent validators was free again, after the end of their leases. */
export interface Reclaims {
  readonly count: number;
  /** Of runs whose lease nobody but their validator moved. Milliseconds. */
  readonly undisturbed: number;
  readonly medianLateMs: number | null;
  readonly worstLateMs: number | null;
  /**
   * With the leases that an amnesty lengthened, from their last written end, and with the time in which
   * nobody could end them. For people: whether each was in time is for `overdue-runs.ts`.
   */
  readonly worstLateOfAllMs: number | null;
  /** Their lease ended while no coordinator lived. */
  readonly inDarkness: number;
}

interface StaleRow {
  readonly id: string;
  readonly staleMs: number;
  readonly leaseMs: number;
}

const roundingMs = 5;

export async function reclaims(
  sql: Sql,
  history: History,
  injected: readonly Injected[],
): Promise<Reclaims> {
  const rows = await sql<StaleRow[]>`
    select r.eval_run_id as id, (extract(epoch from v.at) * 1000)::float8 as "staleMs",
           (extract(epoch from greatest(r.lease_expires_at, b.lease_until)) * 1000)::float8
             as "leaseMs"
    from evaluation_run r
    join rt.event v
      on v.machine = 'evaluation-run' and v.key = r.eval_run_id::text and v.type = 'STALED'
    left join run_beat b on b.eval_run_id = r.eval_run_id
    where r.status = 'STALE'`;
  const promised = promises(history);
  const dark = injected.filter(({ fault }) => fault.kind === 'darkness');
  const ends = rows.map((row) => ({ ...row, promisedMs: promised.get(row.id) ?? row.leaseMs }));
  const undisturbed = ends
    .filter(({ leaseMs, promisedMs }) => leaseMs <= promisedMs + roundingMs)
    .map(({ staleMs, promisedMs }) => staleMs - promisedMs)
    .sort((a, b) => a - b);
  const late = ends.map((end) => end.staleMs - Math.max(end.leaseMs, end.promisedMs));
  return {
    count: rows.length,
    undisturbed: undisturbed.length,
    medianLateMs: undisturbed[Math.floor(undisturbed.length / 2)] ?? null,
    worstLateMs: undisturbed.at(-1) ?? null,
    worstLateOfAllMs: late.length === 0 ? null : Math.max(...late),
    inDarkness: ends.filter(({ promisedMs }) =>
      dark.some(({ startMs, endMs }) => startMs <= promisedMs && promisedMs <= endMs),
    ).length,
  };
}

function promises({ attempts }: History): ReadonlyMap<string, number> {
  const untilMs = new Map<string, number>();
  for (const { sent, told } of attempts) {
    const id = sent.evalRunId ?? told.evalRunId;
    if (id === undefined || told.leaseUntilMs === undefined) continue;
    untilMs.set(id, Math.max(untilMs.get(id) ?? 0, told.leaseUntilMs));
  }
  return untilMs;
}
