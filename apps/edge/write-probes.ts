import type { HistoryWatch } from '../../infra/history/history-watch.ts';
import type { InstallationWatch } from '../../infra/nats/installation.ts';
import { FilesRefused } from '../../infra/object-store/storage-unavailable.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { isRefusedLogin } from '../../infra/postgres/failure.ts';
import type { ProofWatch } from './auth/proof-watch.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { ChainWatch } from './emission/chain-watch.ts';
import { type Probe, type ProbeName, WriteBlocked } from './readiness.ts';
import type { WriteOutcomes } from './write-outcomes.ts';

/** Coordinators move the mark on every second; this many missed ones are no chance. */
const markSilenceSeconds = 10;
/** A partition changes hands within three seconds of a kill; callers wait for as long. */
const unownedSeconds = 5;

/** Rejects while signed requests, or all callers, would be refused for reasons of ours. */
export function admissionProbe(proofs: Pick<ProofWatch, 'trouble'>): Probe {
  return async () => {
    const { trouble } = proofs;
    if (trouble !== undefined) throw new WriteBlocked(trouble);
  };
}

/** Rejects while the broker is away, or those who answer there decide for another database. */
export function brokerProbe(
  broker: { flush(): Promise<void> },
  installation: Pick<InstallationWatch, 'isOther'>,
): Probe {
  return async () => {
    await broker.flush();
    if (installation.isOther) throw new WriteBlocked('the broker is that of another installation');
  };
}

/** Rejects while the chain does not say which epoch it is; see `ChainWatch`. */
export function chainProbe(watch: Pick<ChainWatch, 'trouble'> | undefined): Probe {
  return async () => {
    if (watch?.trouble !== undefined) throw new WriteBlocked(watch.trouble);
  };
}

/**
 * Rejects while callers who sign by a right clock would be refused for this host's. Other hosts have clocks
 * of their own, so another edge is the better one to ask.
 */
export function clockProbe(watch: Pick<ClockWatch, 'aheadSeconds' | 'isOff'>): Probe {
  return async () => {
    const { aheadSeconds = 0, isOff } = watch;
    if (!isOff) return;
    const off = `${Math.round(Math.abs(aheadSeconds))} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`;
    throw new WriteBlocked(`its clock is ${off} that of the database`);
  };
}

/** Rejects while the object store is away, or takes nothing. */
export function objectStoreProbe(objects: Pick<ObjectStore, 'probe'>): Probe {
  return async () => {
    try {
      await objects.probe();
    } catch (error) {
      throw error instanceof FilesRefused ? new WriteBlocked(error.message) : error;
    }
  };
}

/** What the database is asked, or is known to be. */
export function databaseProbes(
  sql: Sql,
  by: {
    readonly history: Pick<HistoryWatch, 'isSound' | 'lost'>;
    readonly outcomes: Pick<WriteOutcomes, 'isFailing'>;
  },
) {
  return {
    database: databaseProbe(sql),
    coordinator: coordinatorProbe(sql),
    partitions: partitionsProbe(sql),
    history: historyProbe(by.history),
    writes: writesProbe(sql, by.outcomes),
  } satisfies Partial<Record<ProbeName, Probe>>;
}

/** Rejects where the database answers and would take no write. */
function databaseProbe(sql: Sql): Probe {
  return async () => {
    const [row] = await sql<{ isReadOnly: boolean; isReplica: boolean }[]>`
      select current_setting('transaction_read_only')::boolean as "isReadOnly",
        pg_is_in_recovery() as "isReplica"`.catch(sayRefused);
    if (row?.isReplica === true) throw new WriteBlocked('the database is a replica');
    if (row?.isReadOnly !== false) throw new WriteBlocked('the database is read-only');
  };
}

function sayRefused(error: unknown): never {
  if (isRefusedLogin(error))
    throw new WriteBlocked('the database refuses the login of this process');
  throw error;
}

/** Rejects when no process is there that could decide anything. */
function coordinatorProbe(sql: Sql): Probe {
  return async () => {
    const [row] = await sql<{ live: boolean }[]>`
      select exists (select from rt.member where lease_until > rt.wall_clock()) as live`;
    if (row?.live !== true) throw new WriteBlocked('no coordinator is alive');
  };
}

/** Rejects while requests to some partition would meet nobody. */
function partitionsProbe(sql: Sql): Probe {
  return async () => {
    const [row] = await sql<{ unowned: number }[]>`
      select count(*)::integer as unowned
      from rt.partition p
      left join rt.member m on m.member_id = p.owner
      -- An owner that lost its lease and joined afresh takes its partitions again, as others would.
      where case when m.incarnation = p.incarnation then m.lease_until
          else greatest(p.released_at, m.joined_at) end
        < rt.wall_clock() - ${unownedSeconds} * interval '1 second'`;
    if (row?.unowned !== 0) throw new WriteBlocked(`${row?.unowned} partitions have no owner`);
  };
}

/**
 * Rejects while writes do not reach the disk, though everybody answers. Strangers may ask, so the newest
 * mark is found by its number, which has an index: there is a day of them.
 */
export function writesProbe(sql: Sql, outcomes: Pick<WriteOutcomes, 'isFailing'>): Probe {
  return async () => {
    if (outcomes.isFailing) throw new WriteBlocked('the last writes were not taken');
    const [row] = await sql<{ isSilent: boolean }[]>`
      select coalesce((select at from rt.mark order by seq desc limit 1), '-infinity')
          < rt.wall_clock() - ${markSilenceSeconds} * interval '1 second' as "isSilent"`;
    if (row?.isSilent !== false) throw new WriteBlocked('nothing was written for ten seconds');
  };
}

/** Why nothing is written until an operator accepts it. */
export const wentBack = 'the database went back in time';

function historyProbe(history: Pick<HistoryWatch, 'isSound' | 'lost'>): Probe {
  return async () => {
    if (history.lost !== undefined) throw new WriteBlocked(wentBack);
    if (!history.isSound) throw new WriteBlocked('how far the database came is not known yet');
  };
}
