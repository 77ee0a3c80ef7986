import type { Sql } from '../../../infra/ports/sql.ts';
import type { RaceBundle } from '../../../machines/race/bundle.ts';
import { isReleased } from '../../runtime/race-rows.ts';

export const tables = ['race_bundle'] as const;

type Run = RaceBundle['runs'][number];

/** Races whose detail is released and that have no bundle yet, the oldest first; those behind `after`, if given. */
export async function unbundledRaces(
  sql: Sql,
  limit: number,
  after: string | null = null,
): Promise<readonly string[]> {
  const rows = await sql<{ raceId: string }[]>`
    select r.race_id as "raceId"
    from race r
    where ${isReleased(sql, sql`r`)}
      and not exists (select from race_bundle b where b.race_id = r.race_id)
      -- Its last runs are cancelled by a message; the bundle waits for how they ended.
      and not exists (
        select from evaluation_run u
        where u.race_id = r.race_id and u.status in ('CLAIMED', 'RUNNING')
          and u.rejudging_id is null)
      and (${after}::uuid is null or (r.released_at, r.race_id) > (
        select p.released_at, p.race_id from race p where p.race_id = ${after}::uuid))
    order by r.released_at, r.race_id
    limit ${limit}`;
  return rows.map(({ raceId }) => raceId);
}

export interface PublishedBundle {
  readonly raceId: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly signature: string;
  readonly publicKey: string;
}

/** The first bundle of a race stays. */
export async function insertBundle(sql: Sql, bundle: PublishedBundle): Promise<boolean> {
  const { raceId, sha256, sizeBytes, signature, publicKey } = bundle;
  const { count } = await sql`
    insert into race_bundle (race_id, sha256, size_bytes, signature, public_key, published_at)
    values (${raceId}, ${sha256}, ${sizeBytes}, ${signature}, ${publicKey}, rt.clock())
    on conflict (race_id) do nothing`;
  return count > 0;
}

export async function raceRow(sql: Sql, raceId: string): Promise<RaceBundle['race']> {
  const ms = (column: string) => sql`floor(extract(epoch from ${sql(column)}) * 1000)::float8`;
  const [row] = await sql<RaceBundle['race'][]>`
    select race_id, suite_id, race_number, s.execution_kind, policy,
      ${ms('opened_at')} as opened_at, ${ms('qualifying_closes_at')} as qualifying_closes_at,
      ${ms('closed_at')} as closed_at, ${ms('started_at')} as started_at,
      ${ms('completed_at')} as completed_at, qualifier_count, scored_count,
      winner_agent_version_id, winner_score, top50_mean, top50_std, margin, challenged_score,
      promoted_agent_version_id
    from race
    join suite s using (suite_id)
    where race_id = ${raceId} and status = 'RACE_COMPLETE'`;
  if (row === undefined) throw new Error(`race ${raceId} is not complete`);
  return row;
}

export async function taskRows(sql: Sql, raceId: string): Promise<RaceBundle['tasks']> {
  return await sql<RaceBundle['tasks']>`
    select ordinal, problem_id, task_id, family
    from race_task
    where race_id = ${raceId}
    order by ordinal`;
}

export async function entrantRows(sql: Sql, raceId: string): Promise<RaceBundle['entrants']> {
  return await sql<RaceBundle['entrants']>`
    select e.agent_version_id, v.agent_name, v.version_number, e.miner_hotkey, e.qualification_type,
      e.qualifying_score, e.race_score, e.score_low, e.score_high, e.weighted_score, e.race_rank,
      e.score_window, e.is_eliminated, e.unfinished_reason
    from race_entrant e
    join agent_version v using (agent_version_id)
    where e.race_id = ${raceId}
    order by e.agent_version_id`;
}

export async function seatRows(sql: Sql, raceId: string): Promise<RaceBundle['emission']> {
  return await sql<RaceBundle['emission']>`
    select position, seat, agent_version_id, miner_hotkey, weight::text as weight,
      units::text as units
    from race_emission
    where race_id = ${raceId}
    order by position`;
}

/** Completed races of the suite before this one, newest first. */
export async function windowRows(
  sql: Sql,
  race: Pick<RaceBundle['race'], 'suite_id' | 'race_number'>,
  count: number,
): Promise<RaceBundle['window']> {
  return await sql<RaceBundle['window']>`
    select r.race_id, r.race_number, r.top50_mean as anchor, (
      select jsonb_object_agg(e.agent_version_id, e.race_score::text)
      from race_entrant e
      where e.race_id = r.race_id and e.race_score is not null) as raw_scores
    from race r
    where r.suite_id = ${race.suite_id} and r.race_number < ${race.race_number}
      and r.status = 'RACE_COMPLETE'
    order by r.race_number desc
    limit ${count}`;
}

/**
 * Who reigned over the suite just before a race of it completed: whose reign began last, where somebody
 * reigned, as the margin says. When it ended is by the clock of who owned the suite's races then.
 */
export async function reignBefore(
  sql: Sql,
  raceId: string,
): Promise<Omit<NonNullable<RaceBundle['top_before']>, 'score'> | undefined> {
  const [row] = await sql<{ agent_version_id: string; miner_hotkey: string; top_at: number }[]>`
    select t.agent_version_id, t.miner_hotkey,
      floor(extract(epoch from t.top_at) * 1000)::float8 as top_at
    from race r
    join top_agent t
      on t.suite_id = r.suite_id and t.top_at < r.completed_at
    where r.race_id = ${raceId} and r.margin is not null
    order by t.top_at desc
    limit 1`;
  return row;
}

/** Runs that belong in one piece of the text: 50 of them have 4,500 results. */
const runsPerPage = 50;

/**
 * All runs of the race in the order of their ids, a page at a time; not those that judge it again. They
 * have the faults that counted at its end.
 */
export async function* runPages(sql: Sql, raceId: string): AsyncGenerator<readonly Run[]> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const runs = await sql<Omit<Run, 'episode_results' | 'problem_results'>[]>`
      with page as materialized (
        select eval_run_id, agent_version_id, validator_hotkey, status, is_included,
          exclusion_reason, score_micro, failure_class
        from evaluation_run
        where race_id = ${raceId} and eval_run_id > ${after} and rejudging_id is null
        order by eval_run_id
        limit ${runsPerPage}
      )
      select eval_run_id, agent_version_id, validator_hotkey, status, is_included,
        exclusion_reason, score_micro,
        case when failure_class is not null and eval_run_id in (
          select counted.eval_run_id
          from rt.counted_faults(${raceId}, array(select f.eval_run_id from page f)) counted)
        then failure_class end as failure_class
      from page
      order by eval_run_id`;
    const last = runs.at(-1);
    if (last === undefined) return;
    after = last.eval_run_id;
    yield await withResults(sql, runs);
  }
}

async function withResults(
  sql: Sql,
  runs: readonly Omit<Run, 'episode_results' | 'problem_results'>[],
): Promise<readonly Run[]> {
  const ids = runs.map(({ eval_run_id }) => eval_run_id);
  const episodes = await sql<(Run['episode_results'][number] & { eval_run_id: string })[]>`
    select eval_run_id, task_id, outcome, verdict_correct, reward_micro
    from episode_result
    where eval_run_id = any(${ids}::uuid[])
    order by eval_run_id, task_id collate "C"`;
  const problems = await sql<(Run['problem_results'][number] & { eval_run_id: string })[]>`
    select eval_run_id, problem_id, status, score_micro
    from problem_progress
    where eval_run_id = any(${ids}::uuid[])
    order by eval_run_id, problem_id`;
  const episodesOf = Map.groupBy(episodes, ({ eval_run_id }) => eval_run_id);
  const problemsOf = Map.groupBy(problems, ({ eval_run_id }) => eval_run_id);
  return runs.map((run) => ({
    ...run,
    episode_results: (episodesOf.get(run.eval_run_id) ?? []).map(
      ({ eval_run_id: _, ...result }) => result,
    ),
    problem_results: (problemsOf.get(run.eval_run_id) ?? []).map(
      ({ eval_run_id: _, ...result }) => result,
    ),
  }));
}
