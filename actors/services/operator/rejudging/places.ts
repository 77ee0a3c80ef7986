import type { Sql, Transaction } from '../../../../infra/ports/sql.ts';
import {
  type Places,
  placesOf,
  type Spot,
  spotsOf,
} from '../../../../machines/rejudging/places.ts';
import type { ScoredAgain } from '../../../../machines/rejudging/preview.ts';
import { fourPlaces, tenThousandths } from '../../../../machines/scoring/exact.ts';

/** Where versions stand on the board of a suite, and would with other scores. */
export async function placesOnBoard(
  sql: Sql | Transaction,
  suiteId: number,
  scored: readonly ScoredAgain[],
): Promise<Places> {
  const moves = scored.flatMap(({ agentVersionId, isOnBoard, score: { was, becomes } }) =>
    isOnBoard && was !== null && becomes !== null
      ? [{ agentVersionId, was: integerOf(was), becomes: integerOf(becomes) }]
      : [],
  );
  const ahead = await countAhead(sql, suiteId, spotsOf(moves));
  return placesOf(moves, (spot) => ahead.get(nameOf(spot)) ?? 0);
}

/**
 * How many of the board stand ahead of each of these spots, which come in the board's order. The board
 * is counted by score, of which there are ten thousand, and never read.
 */
async function countAhead(
  sql: Sql | Transaction,
  suiteId: number,
  spots: readonly Spot[],
): Promise<ReadonlyMap<string, number>> {
  if (spots.length === 0) return new Map();
  const levels = await sql<{ score: number; versions: number }[]>`
    select (qualifying_score * 10000)::int as score, count(*)::int as versions
    from agent_version
    where suite_id = ${suiteId} and state = 'ELIGIBLE' and qualifying_score is not null
    group by qualifying_score
    order by qualifying_score desc`;
  const ties = await countTies(sql, suiteId, spots);
  const ahead = new Map<string, number>();
  let [level, higher, tied] = [0, 0, 0];
  for (const [index, spot] of spots.entries()) {
    for (; (levels[level]?.score ?? 0) > spot.score; level += 1) {
      higher += levels[level]?.versions ?? 0;
    }
    tied = spots[index - 1]?.score === spot.score ? tied : 0;
    tied += ties[index]?.versions ?? 0;
    ahead.set(nameOf(spot), higher + tied);
  }
  return ahead;
}

/** Of each spot: those with its very score between the one before it and itself. */
async function countTies(
  sql: Sql | Transaction,
  suiteId: number,
  spots: readonly Spot[],
): Promise<readonly { readonly versions: number }[]> {
  const scores = spots.map(({ score }) => fourPlaces(BigInt(score)));
  const ids = spots.map(({ agentVersionId }) => agentVersionId);
  return await sql<{ versions: number }[]>`
    select tie.versions
    from (
      select place, score::numeric(5,4) as score, id, coalesce(
          lag(id) over (partition by score order by place),
          '00000000-0000-0000-0000-000000000000') as previous
      from unnest(${scores}::text[], ${ids}::uuid[]) with ordinality as given (score, id, place)
    ) spot
    cross join lateral (
      select count(*)::int as versions
      from agent_version v
      where v.suite_id = ${suiteId} and v.state = 'ELIGIBLE' and v.qualifying_score = spot.score
        and v.agent_version_id >= spot.previous and v.agent_version_id < spot.id
    ) tie
    order by spot.place`;
}

function integerOf(score: string): number {
  return Number(tenThousandths(score));
}

function nameOf({ agentVersionId, score }: Spot): string {
  return `${score} ${agentVersionId}`;
}
