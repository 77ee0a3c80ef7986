import type { Sql } from '../../../infra/ports/sql.ts';
import type { Attempt, History } from '../clients/history.ts';
import type { Injected } from '../faults/injector.ts';
import type { MetricsWatch } from './metrics-watch.ts';

/** How often a dangerous situation really came about, and how often it must have. */
export interface Reached {
  readonly what: string;
  readonly count: number;
  readonly minimum: number;
}

export interface Reaching {
  readonly sql: Sql;
  readonly history: History;
  readonly injected: readonly Injected[];
  readonly metrics: MetricsWatch;
  readonly seconds: number;
  readonly reclaimedInDarkness: number;
}

/** A run that stays below a minimum has shown nothing: it is void. */
export async function reached(by: Reaching): Promise<readonly Reached[]> {
  const { history, injected, metrics, seconds } = by;
  const minutes = seconds / 60;
  const { attempts } = history;
  const count = (is: (attempt: Attempt) => boolean) => attempts.filter(is).length;
  const faults = (kind: string) =>
    injected.filter(({ fault, wasIdle }) => fault.kind === kind && !wasIdle).length;
  const lost = await lostClaims(by.sql, history);
  /** So many a minute; the first minute brings the world up. */
  const row = (what: string, found: number, perMinute: number): Reached => {
    return { what, count: found, minimum: Math.floor(perMinute * Math.max(0, minutes - 0.5)) };
  };
  return [
    row('faults injected', injected.filter(({ wasIdle }) => !wasIdle).length, 8),
    row('JetStream stores deleted', faults('nats wiped'), 0.9),
    row(
      'requests without a known outcome',
      count(({ outcome }) => outcome === 'unknown'),
      20,
    ),
    row('writes refused to an expired holder', count(isRefusedAsGone), 2),
    row('commits refused by the fence', metrics.total('paddock.commit.fenced'), 0.2),
    row('duplicates swallowed by the inbox', metrics.total('paddock.inbox.duplicates'), 2),
    row('messages sent again by the sweeper', metrics.total('paddock.sweeper.republishes'), 0.3),
    row('claims whose answer was lost', lost, 1),
    row('results refused as stored before', count(hasDuplicates), 4),
    row('completions answered again as before', repeatedCompletions(attempts), 1),
    row('leases lengthened after an outage', metrics.total('paddock.lease.amnesties'), 5),
    row('work reclaimed of silent validators', await stales(by.sql), 2),
    row('leases that ended while every coordinator was down', by.reclaimedInDarkness, 0.15),
  ];
}

function isRefusedAsGone({ code, told, sent }: Attempt): boolean {
  if (code === 'LEASE_EXPIRED' || (code === 'NOT_RUN_OWNER' && told.runStatus !== undefined)) {
    return true;
  }
  return sent.kind === 'results' && (told.statuses?.includes(422) ?? false);
}

function hasDuplicates({ sent, told }: Attempt): boolean {
  return sent.kind === 'results' && (told.statuses?.includes(409) ?? false);
}

function repeatedCompletions(attempts: readonly Attempt[]): number {
  const acknowledged = attempts.filter(
    ({ sent, outcome }) => sent.kind === 'complete' && outcome === 'acknowledged',
  );
  return acknowledged.length - new Set(acknowledged.map(({ sent }) => sent.evalRunId)).size;
}

/** Runs that were made before the first answered claim for them was even asked, or never told. */
async function lostClaims(sql: Sql, { attempts }: History): Promise<number> {
  const rows = await sql<{ id: string; claimedMs: number }[]>`
    select eval_run_id as id, (extract(epoch from claimed_at) * 1000)::float8 as "claimedMs"
    from evaluation_run`;
  const askedMs = new Map<string, number>();
  for (const { told, sent, callMs } of attempts) {
    if (sent.kind !== 'claim' || told.evalRunId === undefined) continue;
    askedMs.set(told.evalRunId, Math.min(askedMs.get(told.evalRunId) ?? callMs, callMs));
  }
  return rows.filter(({ id, claimedMs }) => claimedMs < (askedMs.get(id) ?? Infinity)).length;
}

async function stales(sql: Sql): Promise<number> {
  const [row] = await sql<{ stale: number }[]>`
    select count(*)::integer as stale from evaluation_run where status = 'STALE'`;
  return row?.stale ?? 0;
}
