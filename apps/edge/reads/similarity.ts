import type { Sql } from '../../../infra/ports/sql.ts';
import type { SimilarityVerdict } from '../../../machines/submission/similarity.ts';
import type { SimilarityReport } from '../../../machines/submission/similarity-report.ts';

/** A version and what was found out about it. */
export interface SimilarityRow {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly versionNumber: number;
  readonly minerHotkey: string;
  readonly submittedAt: Date;
  readonly reportedAt: Date | null;
  /** Why nothing can be said about the file. */
  readonly unreadable: string | null;
  readonly verdict: SimilarityVerdict | null;
  readonly report: SimilarityReport | null;
}

const columns = (sql: Sql) => sql`
  v.agent_version_id as "agentVersionId", v.agent_name as "agentName",
  v.version_number as "versionNumber", v.miner_hotkey as "minerHotkey",
  v.submitted_at as "submittedAt", s.reported_at as "reportedAt", s.unreadable, s.verdict`;

export async function similarityOf(
  sql: Sql,
  agentVersionId: string,
): Promise<SimilarityRow | undefined> {
  const [row] = await sql<SimilarityRow[]>`
    select ${columns(sql)}, s.report
    from agent_version v
    left join similarity_version s using (agent_version_id)
    where v.agent_version_id = ${agentVersionId}`;
  return row;
}

export interface SimilaritySummaryRow extends Omit<SimilarityRow, 'report'> {
  readonly reasons: SimilarityReport['reasons'];
  /** The gravest. */
  readonly nearestId: string | null;
}

/** Newest first. */
export async function similarityPage(
  sql: Sql,
  page: {
    readonly verdict: SimilarityVerdict | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<{ readonly total: number; readonly rows: readonly SimilaritySummaryRow[] }> {
  const reported = sql`
    s.reported_at is not null
      and s.verdict = any(${page.verdict === undefined ? verdicts : [page.verdict]}::text[])`;
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::int as total from similarity_version s where ${reported}`;
  const rows = await sql<SimilaritySummaryRow[]>`
    select ${columns(sql)}, coalesce(s.report -> 'reasons', '[]') as reasons,
      case when s.verdict <> 'clean' then s.report #>> '{matches,0,id}' end as "nearestId"
    from similarity_version s
    join agent_version v using (agent_version_id)
    where ${reported}
    order by s.submitted_at desc, s.agent_version_id desc
    limit ${page.limit}
    offset ${page.offset}`;
  return { total: counted?.total ?? 0, rows };
}

const verdicts: SimilarityVerdict[] = ['clean', 'suspicious', 'copy'];

/** Of an earlier version that a report names. */
export interface SimilarSourceRow {
  readonly agentVersionId: string;
  readonly agentName: string;
  readonly versionNumber: number;
  readonly minerHotkey: string;
  readonly submittedAt: Date;
  readonly topAt: Date | null;
}

export async function similarSources(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SimilarSourceRow>> {
  const rows = await sql<SimilarSourceRow[]>`
    select v.agent_version_id as "agentVersionId", v.agent_name as "agentName",
      v.version_number as "versionNumber", v.miner_hotkey as "minerHotkey",
      v.submitted_at as "submittedAt",
      (select min(t.top_at) from top_agent t
        where t.agent_version_id = v.agent_version_id) as "topAt"
    from agent_version v
    where v.agent_version_id = any(${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.agentVersionId, row]));
}
