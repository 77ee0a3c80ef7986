import type { Sql } from '../../../infra/ports/sql.ts';
import type { Looked } from '../checks/check-all.ts';
import type { Attempt, History } from '../clients/history.ts';
import type { Fault } from '../faults/fault-plan.ts';
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
  /** Runs whose lateness is judged. */
  readonly reclaimedUndisturbed: number;
  /** While faults went on. */
  readonly lifecycles: number;
  readonly looked: Looked;
}

/** Runs as short as this have minimums of their own. */
export const longRunMinutes = 10;
/** From here on, what a run is to show has to come about once at least. */
const wholeRunMinutes = 3;
/** The goal, and what a machine with little to spare still does. */
const lifecyclesPerMinute = { long: 300, short: 100 };

export interface Share {
  readonly perMinute: number;
  /** The fault without which it cannot come about; left out, anything may bring it about. */
  readonly after?: (fault: Fault) => boolean;
  /** Luck in a run that is not long, as far as anybody has counted. */
  readonly isRare?: boolean;
}

/** How often it must have come about; the first half minute brings the world up. */
export function minimumOf(
  { perMinute, after = () => true, isRare = false }: Share,
  { minutes, injected }: { readonly minutes: number; readonly injected: readonly Injected[] },
): number {
  const usual = Math.floor(perMinute * Math.max(0, minutes - 0.5));
  const isSure = minutes >= (isRare ? longRunMinutes : wholeRunMinutes);
  const isPlanned = injected.some(({ fault }) => after(fault));
  return isSure && isPlanned ? Math.max(1, usual) : usual;
}

const isDarkness = ({ kind }: Fault) => kind === 'darkness';
const losesMessages = ({ kind }: Fault) =>
  kind === 'nats wiped' || kind === 'nats rolled back' || kind === 'nats killed';
/** An owner that wakes up, or whose commit arrives, after somebody else took over. */
const outlivesItsOwner = (fault: Fault) =>
  'who' in fault &&
  fault.who.startsWith('coordinator') &&
  (fault.kind === 'freeze' || (fault.kind === 'line' && fault.line === 'postgres'));

/** A run that stays below a minimum has shown nothing: it is void. */
export async function reached(by: Reaching): Promise<readonly Reached[]> {
  const { history, injected, metrics, seconds, looked } = by;
  const minutes = seconds / 60;
  const { attempts } = history;
  const perMinute = lifecyclesPerMinute[minutes < longRunMinutes ? 'short' : 'long'];
  const count = (is: (attempt: Attempt) => boolean) => attempts.filter(is).length;
  const faults = (kind: string) =>
    injected.filter(({ fault, wasIdle }) => fault.kind === kind && !wasIdle).length;
  const lost = await lostClaims(by.sql, history);
  const row = (what: string, found: number, share: Share): Reached => {
    return { what, count: found, minimum: minimumOf(share, { minutes, injected }) };
  };
  return [
    // Nothing is brought up while they are counted.
    {
      what: 'lifecycles completed',
      count: by.lifecycles,
      minimum: Math.round(perMinute * minutes),
    },
    row('runs whose history was decided', looked.runsDecided, { perMinute }),
    row('races completed', looked.racesCompleted, { perMinute: 0.5 }),
    row('epochs with standings', looked.epochs, { perMinute: 1 }),
    row('faults injected', injected.filter(({ wasIdle }) => !wasIdle).length, { perMinute: 8 }),
    row('JetStream stores deleted', faults('nats wiped'), {
      perMinute: 0.9,
      after: ({ kind }) => kind === 'nats wiped',
    }),
    row(
      'requests without a known outcome',
      count(({ outcome }) => outcome === 'unknown'),
      { perMinute: 20 },
    ),
    row('writes refused to an expired holder', count(isRefusedAsGone), { perMinute: 2 }),
    row('commits refused by the fence', metrics.total('paddock.commit.fenced'), {
      ...{ perMinute: 0.2, after: outlivesItsOwner, isRare: true },
    }),
    row('duplicates swallowed by the inbox', metrics.total('paddock.inbox.duplicates'), {
      perMinute: 2,
    }),
    row('messages sent again by the sweeper', metrics.total('paddock.sweeper.republishes'), {
      ...{ perMinute: 0.3, after: losesMessages },
    }),
    row('claims whose answer was lost', lost, { perMinute: 1 }),
    row('results refused as stored before', count(hasDuplicates), { perMinute: 4 }),
    row('completions answered again as before', repeatedCompletions(attempts), { perMinute: 1 }),
    row('leases lengthened after an outage', metrics.total('paddock.lease.amnesties'), {
      perMinute: 5,
    }),
    row('work reclaimed of silent validators', await stales(by.sql), { perMinute: 2 }),
    row('leases that ended while every coordinator was down', by.reclaimedInDarkness, {
      ...{ perMinute: 0.15, after: isDarkness, isRare: true },
    }),
    row('work reclaimed that met no fault', by.reclaimedUndisturbed, {
      ...{ perMinute: 0.1, isRare: true },
    }),
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
