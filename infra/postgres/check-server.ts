import type { Sql } from '../ports/sql.ts';

/** 15 has everything we use; what is tested is 18. */
const oldestVersion = 150_000;

/** Refuses a server that may forget what it acknowledged, or that cannot write. */
export async function checkServer(
  sql: Sql,
  options: { readonly allowUnsafeWrites?: boolean } = {},
): Promise<void> {
  const [row] = await sql<ServerRow[]>`
    select current_setting('server_version_num')::integer as version,
           current_setting('fsync') as fsync,
           current_setting('full_page_writes') as full_page_writes,
           current_setting('synchronous_standby_names') as standby_names,
           pg_is_in_recovery() as is_replica,
           (select count(*)::integer from pg_stat_replication) as standbys`;
  if (row === undefined) throw new Error('the database told nothing about itself');
  const complaints = complaintsOf(row, options.allowUnsafeWrites === true);
  if (complaints.length > 0) throw new Error(`unfit database: ${complaints.join('; ')}`);
}

interface ServerRow {
  readonly version: number;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly standby_names: string;
  readonly is_replica: boolean;
  readonly standbys: number;
}

function complaintsOf(row: ServerRow, allowUnsafeWrites: boolean): readonly string[] {
  const complaints: string[] = [];
  if (row.version < oldestVersion) complaints.push(`version ${row.version} is older than 15`);
  if (row.is_replica) complaints.push('it is a replica');
  if (!allowUnsafeWrites && row.fsync !== 'on') complaints.push('fsync is off');
  if (!allowUnsafeWrites && row.full_page_writes !== 'on') {
    complaints.push('full_page_writes is off');
  }
  if (row.standbys > 0 && row.standby_names === '') {
    complaints.push('it has standbys, but synchronous_standby_names is empty');
  }
  return complaints;
}
