import type { Fragment, Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { Fingerprints } from '../../../machines/submission/fingerprints.ts';
import type { EarlierVersion, Precedents } from '../../../machines/submission/similarity.ts';
import type { Source } from '../../../machines/submission/similarity-report.ts';
import type { DueVersion } from './store.ts';

/** More hotkeys than a fingerprint needs to weigh nothing; those that were first are read. */
const holdersMax = 40;

/** Who of those before `version` has which of its fingerprints. */
export async function readPrecedents(
  tx: Transaction,
  version: DueVersion,
  { hashes }: Fingerprints,
): Promise<Precedents> {
  const found = await tx<{ hash: number; numbers: number[] }[]>`
    select h.hash::float8 as hash, holder.numbers
    from unnest(${hashes}::bigint[]) as h (hash)
    cross join lateral (
      select array_agg(first_ones.version_no) as numbers
      from (
        select f.version_no from similarity_fingerprint f
        where f.hash = h.hash
        order by f.version_no
        limit ${holdersMax}) first_ones) holder
    where holder.numbers is not null`;
  const holders = new Map(found.map(({ hash, numbers }) => [hash, numbers]));
  const numbers = [...new Set(found.flatMap((row) => row.numbers))];
  return { holders, versions: await readEarlier(tx, version, numbers) };
}

async function readEarlier(
  tx: Transaction,
  { versionNo, minerHotkey, author }: DueVersion,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, EarlierVersion>> {
  const rows = await tx<(EarlierVersion & { versionNo: number })[]>`
    select s.version_no as "versionNo", s.author, s.verdict,
      s.miner_hotkey = ${minerHotkey} or s.author = ${author} as "isOwn", c.modulus,
      ${hashCount(tx)} as "hashCount",
      (rank() over (order by s.submitted_at, s.agent_version_id))::int as rank
    from similarity_version s
    join similarity_code c using (code_sha256)
    join similarity_version this on this.version_no = ${versionNo}
    where s.version_no = any(${numbers}::integer[])
      and (s.submitted_at, s.agent_version_id) < (this.submitted_at, this.agent_version_id)`;
  return new Map(rows.map(({ versionNo: number, ...version }) => [number, version]));
}

/**
 * Of the file `c`, by the size of its list, which is told without reading that: eight bytes a hash behind a head of 20 to
 * 24. Random numbers are no shorter when compressed, so that the size is theirs.
 */
export const hashCount = (sql: Sql | Transaction): Fragment =>
  sql`greatest((pg_column_size(c.hashes) - 20) / 8, 0)`;

/** The files of some of them. */
export async function readSources(
  tx: Transaction,
  { codeSha256 }: DueVersion,
  { versions }: Precedents,
  numbers: readonly number[],
): Promise<readonly Source[]> {
  const rows = await tx<(Fingerprints & { versionNo: number; id: string; isSameFile: boolean })[]>`
    select s.version_no as "versionNo", s.agent_version_id as id,
      s.code_sha256 = ${codeSha256} as "isSameFile", c.token_count as "tokenCount", c.modulus,
      c.hashes, c.first_lines as "firstLines", c.last_lines as "lastLines"
    from similarity_version s
    join similarity_code c using (code_sha256)
    where s.version_no = any(${numbers}::integer[])`;
  return rows.flatMap(({ versionNo, id, isSameFile, ...fingerprints }) => {
    const version = versions.get(versionNo);
    return version === undefined ? [] : [{ ...version, id, isSameFile, fingerprints }];
  });
}
