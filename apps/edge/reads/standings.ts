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

/** One read of the primary, however many ask: what any edge stored before is seen. */
export async function standingsFor(
  sql: Sql,
  validatorHotkeys: readonly string[],
): Promise<ReadonlyMap<string, StandingsFor>> {
  const [row] = await sql<
    {
      epochIndex: number | null;
      body: string | null;
      eligible: string[];
      nowMs: number;
    }[]
  >`
    select s.epoch_index::float8 as "epochIndex", s.body,
      array(
        select asked.hotkey from unnest(${[...validatorHotkeys]}::text[]) as asked (hotkey)
        where exists (
          select from evaluation_run r
          where r.validator_hotkey = asked.hotkey and r.status = 'SUCCESS'
            and r.completed_at > clock.at - interval '24 hours'
        )
      ) as eligible,
      floor(extract(epoch from clock.at) * 1000)::float8 as "nowMs"
    from (select rt.clock() as at) clock
    left join (
      select epoch_index, body from epoch_standings order by epoch_index desc limit 1
    ) s on true`;
  if (row === undefined) throw new Error('a read without conditions has one row');
  const { epochIndex, body, eligible, nowMs } = row;
  const newest = epochIndex === null || body === null ? undefined : { epochIndex, body };
  const found = new Map(
    validatorHotkeys.map((hotkey) => [hotkey, { newest, isEligible: false, nowMs }]),
  );
  for (const hotkey of eligible) found.set(hotkey, { newest, isEligible: true, nowMs });
  return found;
}

/** Undefined before the first. */
export async function newestEpoch(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ epochIndex: number }[]>`
    select epoch_index::float8 as "epochIndex"
    from epoch_standings
    order by epoch_index desc
    limit 1`;
  return row?.epochIndex;
}
