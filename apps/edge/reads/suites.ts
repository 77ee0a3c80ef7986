import type { Sql } from '../../../infra/ports/sql.ts';

export interface SuiteRow {
  readonly suiteId: number;
  readonly suiteVersion: number;
  readonly isActive: boolean;
  readonly executionKind: 'legacy_benchmark' | 'envpack';
  readonly environment: Readonly<Record<string, string>>;
  readonly envPackSha256: string | null;
  readonly benchmarkName: string;
  readonly benchmarkNumber: number;
  readonly qualifyingThreshold: string;
}

const columns = (sql: Sql) => sql`
  suite_id as "suiteId",
  suite_version as "suiteVersion",
  is_active as "isActive",
  execution_kind as "executionKind",
  environment,
  env_pack_sha256 as "envPackSha256",
  benchmark_name as "benchmarkName",
  benchmark_number as "benchmarkNumber",
  qualifying_threshold as "qualifyingThreshold"`;

export async function listSuites(sql: Sql): Promise<readonly SuiteRow[]> {
  return await sql<SuiteRow[]>`select ${columns(sql)} from suite order by suite_version desc`;
}

export async function activeSuite(sql: Sql): Promise<SuiteRow | undefined> {
  const [row] = await sql<SuiteRow[]>`select ${columns(sql)} from suite where is_active`;
  return row;
}

/** The largest id that the column can hold; a larger one is unknown, not an error. */
const suiteIdMax = 2_147_483_647;

export async function suiteById(sql: Sql, suiteId: number): Promise<SuiteRow | undefined> {
  if (suiteId > suiteIdMax) return undefined;
  const [row] = await sql<SuiteRow[]>`
    select ${columns(sql)} from suite where suite_id = ${suiteId}`;
  return row;
}

export interface SuiteProblemRow {
  readonly problemId: string;
  readonly taskId: string | null;
  readonly family: string | null;
  readonly goalText: string | null;
  readonly category: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly embeddings: unknown;
}

/**
 * The public roster in order: QUALIFYING rows only, since RACE rows are held out until their race.
 * Embeddings are thirty times the rest, so they are read only when asked for.
 */
export async function publicProblems(
  sql: Sql,
  suiteId: number,
  includeEmbeddings: boolean,
): Promise<readonly SuiteProblemRow[]> {
  return await sql<SuiteProblemRow[]>`
    select problem_id as "problemId", task_id as "taskId", family, goal_text as "goalText", category,
      metadata, ${includeEmbeddings ? sql`embeddings` : sql`null as embeddings`}
    from suite_problem
    where suite_id = ${suiteId} and phase = 'QUALIFYING'
    order by ordinal`;
}
