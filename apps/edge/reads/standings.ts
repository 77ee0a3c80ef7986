import type { Sql } from '../../../infra/ports/sql.ts';

export interface NewestStandings {
  readonly epochIndex: number;
  /** The whole answer of an eligible validator, as it was made. */
  readonly body: string;
}

export interface StandingsFor {
  readonly newest: NewestStandings | undefined;
  /** The validator finished an evaluation in the last 24 hours. */
  readonly isEligible: boolean;
  /** The database's clock. */
  readonly nowMs: number;
}

/** One read of the primary: what any edge stored before is seen. */
export async function standingsFor(sql: Sql, validatorHotkey: string): Promise<StandingsFor> {
  const [row] = await sql<
    {
      epochIndex: number | null;
      body: string | null;
      isEligible: boolean;
      nowMs: number;
    }[]
  >`
    select s.epoch_index::float8 as "epochIndex", s.body,
      exists (
        select from evaluation_run r
        where r.validator_hotkey = ${validatorHotkey} and r.status = 'SUCCESS'
          and r.completed_at > clock.at - interval '24 hours'
      ) as "isEligible",
      floor(extract(epoch from clock.at) * 1000)::float8 as "nowMs"
    from (select rt.clock() as at) clock
    left join (
      select epoch_index, body from epoch_standings order by epoch_index desc limit 1
    ) s on true`;
  if (row === undefined) throw new Error('a read without conditions has one row');
  const { epochIndex, body, isEligible, nowMs } = row;
  const newest = epochIndex === null || body === null ? undefined : { epochIndex, body };
  return { newest, isEligible, nowMs };
}
