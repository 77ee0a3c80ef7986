import { lastMade } from '../../../actors/emission-calculator/last-made.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { MadeEpoch } from '../../../machines/emission/furthest-epoch.ts';

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

export interface MadeSoFar {
  /** The newest first; none before the first. */
  readonly made: readonly MadeEpoch[];
  /** The database's clock. */
  readonly nowMs: number;
}

/** What says how far an epoch can be, as the owner of the standings reads it. */
export async function madeSoFar(sql: Sql): Promise<MadeSoFar> {
  const [row] = await sql<MadeSoFar[]>`
    select (${lastMade(sql)}) as made,
      floor(extract(epoch from rt.clock()) * 1000)::float8 as "nowMs"`;
  if (row === undefined) throw new Error('a read without conditions has one row');
  return row;
}
