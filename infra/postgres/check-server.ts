import type { Sql } from '../ports/sql.ts';

/** 15 has everything we use; what is tested is 18. */
const oldestVersion = 150_000;

export interface ServerDemands {
  /** Where a database without fsync is what is wanted. */
  readonly allowUnsafeWrites?: boolean;
  /** Where somebody else says that it takes no writes. */
  readonly allowReadOnly?: boolean;
  /** What this process may open at once; none are counted unless told. */
  readonly connections?: number;
}

/** What copies the log and never takes over, by what it calls itself. */
const copiers = '^(pg_basebackup|pg_receivewal|pg_recvlogical|barman)';

/**
 * Refuses a server that may forget what it acknowledged, or that cannot write, and says what to set.
 * `sql` is one of ours (createSql), whose own settings are looked at too.
 *
 * @throws UnfitDatabase
 */
export async function checkServer(sql: Sql, demands: ServerDemands = {}): Promise<void> {
  const [row] = await sql<ServerRow[]>`
    select current_setting('server_version_num')::integer as version,
      current_setting('fsync')::boolean as fsync,
      current_setting('full_page_writes')::boolean as full_page_writes,
      current_setting('zero_damaged_pages')::boolean as zero_damaged_pages,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('synchronous_standby_names') as standby_names,
      current_setting('transaction_read_only')::boolean as is_read_only,
      current_setting('session_replication_role') as replication_role,
      current_setting('server_encoding') as encoding,
      current_setting('TimeZone') as time_zone,
      current_setting('statement_timeout') as statement_timeout,
      current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true), '0')::integer as connections,
      pg_is_in_recovery() as is_replica,
      (select count(*)::integer from pg_stat_replication r
       where r.application_name !~ ${copiers} and r.state is distinct from 'backup'
         and not exists (
           select from pg_replication_slots s
           where s.active_pid = r.pid and s.slot_type = 'logical')) as standbys`;
  if (row === undefined) throw new Error('the database told nothing about itself');
  const found = complaints
    .filter(({ isWrong }) => isWrong(row, demands))
    .map(({ text }) => (typeof text === 'string' ? text : text(row, demands)));
  if (found.length > 0) throw new UnfitDatabase(`unfit database: ${found.join('; ')}`);
}

/** It answered, and is not as it has to be. */
export class UnfitDatabase extends Error {
  override name = 'UnfitDatabase';
}

interface ServerRow {
  readonly version: number;
  readonly fsync: boolean;
  readonly full_page_writes: boolean;
  readonly zero_damaged_pages: boolean;
  readonly synchronous_commit: string;
  readonly standby_names: string;
  readonly is_read_only: boolean;
  readonly replication_role: string;
  readonly encoding: string;
  readonly time_zone: string;
  readonly statement_timeout: string;
  readonly connections: number;
  readonly is_replica: boolean;
  readonly standbys: number;
}

interface Complaint {
  readonly isWrong: (row: ServerRow, demands: ServerDemands) => boolean;
  /** What is wrong, and what to set. */
  readonly text: string | ((row: ServerRow, demands: ServerDemands) => string);
}

const complaints: readonly Complaint[] = [
  {
    isWrong: ({ version }) => version < oldestVersion,
    text: ({ version }) => `version ${version} is older than 15`,
  },
  {
    isWrong: ({ is_replica }, demands) => is_replica && demands.allowReadOnly !== true,
    text: 'it is a replica; point DATABASE_URL at the primary',
  },
  {
    isWrong: ({ is_replica, is_read_only }, demands) =>
      is_read_only && !is_replica && demands.allowReadOnly !== true,
    text: 'it takes no writes; set default_transaction_read_only = off',
  },
  {
    isWrong: ({ fsync }, demands) => !fsync && demands.allowUnsafeWrites !== true,
    text: 'fsync is off, so a crash loses what was acknowledged; set fsync = on',
  },
  {
    isWrong: ({ full_page_writes }, demands) =>
      !full_page_writes && demands.allowUnsafeWrites !== true,
    text: 'full_page_writes is off, so a crash tears pages; set full_page_writes = on',
  },
  {
    isWrong: ({ zero_damaged_pages }) => zero_damaged_pages,
    text: 'zero_damaged_pages is on, so damage reads as absence; set zero_damaged_pages = off',
  },
  {
    // Ours ask for `on`. Who finds another one has something in between that forgets.
    isWrong: ({ synchronous_commit }) => !['on', 'remote_apply'].includes(synchronous_commit),
    text: ({ synchronous_commit }) =>
      `synchronous_commit is ${synchronous_commit} on our connections; let it be \`on\`, also in a pooler in between`,
  },
  {
    isWrong: ({ time_zone, statement_timeout }) => time_zone !== 'UTC' || statement_timeout === '0',
    text: 'our connections lose what they set; a pooler in between must keep it, or go',
  },
  {
    isWrong: ({ standbys, standby_names }) => standbys > 0 && standby_names === '',
    text: 'it has standbys and waits for none, so a failover loses what was acknowledged; set synchronous_standby_names',
  },
  {
    isWrong: ({ replication_role }) => replication_role !== 'origin',
    text: 'session_replication_role turns our triggers off; set it to origin',
  },
  {
    isWrong: ({ encoding }) => encoding !== 'UTF8',
    text: ({ encoding }) => `its encoding is ${encoding}; create the database with UTF8`,
  },
  {
    isWrong: ({ connections }, demands) => connections < (demands.connections ?? 0),
    text: ({ connections }, demands) =>
      `it takes ${connections} connections and this process alone may open ${demands.connections}; ` +
      'raise max_connections or lower DATABASE_POOL_SIZE',
  },
];
