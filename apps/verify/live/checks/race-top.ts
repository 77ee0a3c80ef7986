import type { Sql } from '../../../../infra/ports/sql.ts';
import { marginAt, tt } from '../race-arithmetic.ts';
import { type Entrant, type Race, type Reign, reignBefore } from './race-rows.ts';

/** Of a margin of four places that binary floats made again. */
const halfOfLastPlace = 0.000051;

/** What the winner had to beat: nothing where nobody reigned. */
export async function wrongChallenge(
  race: Race,
  _: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const before = await reignBefore(sql, race);
  const { challengedScore, margin } = race;
  if (before === undefined) {
    return challengedScore === null && margin === null
      ? []
      : [`nobody reigned, and ${challengedScore} + ${margin} was to be beaten`];
  }
  const wrong: string[] = [];
  const shown = await shownBy(before, race, sql);
  if (challengedScore !== shown) {
    wrong.push(`${before.id} reigned with ${shown}, and ${challengedScore} was to be beaten`);
  }
  const ageMs = race.completedAt.getTime() - before.topAt.getTime();
  const expected = marginAt(race.policy, ageMs);
  // A margin that is missing is no number, and as near to nothing.
  if (!(margin !== null && Math.abs(expected - Number(margin)) <= halfOfLastPlace)) {
    wrong.push(`margin ${margin} after ${ageMs} ms`);
  }
  return wrong;
}

/** The Overall of the newest race that it finished as top or became top by, this one included. */
async function shownBy({ id, raceId }: Reign, race: Race, sql: Sql): Promise<string | null> {
  const [newest] = await sql<{ overall: string }[]>`
    select e.weighted_score as overall
    from race r
    join race_entrant e on e.race_id = r.race_id and e.agent_version_id = ${id}
    where r.suite_id = ${race.suiteId} and r.status = 'RACE_COMPLETE'
      and e.weighted_score is not null and r.race_number <= ${race.raceNumber}
      and r.race_number >= (select f.race_number from race f where f.race_id = ${raceId})
    order by r.race_number desc
    limit 1`;
  return newest?.overall ?? null;
}

export async function wrongPromotion(
  race: Race,
  _: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const before = await reignBefore(sql, race);
  const { challengedScore, margin, winnerId, winnerScore, promotedId } = race;
  const isWon = before === undefined || isBeaten(race, before);
  if (promotedId === (isWon ? winnerId : null)) return [];
  const against =
    before === undefined ? 'nobody' : `${before.id} with ${challengedScore} + ${margin}`;
  return [`${winnerId} with ${winnerScore} against ${against}: promoted ${promotedId}`];
}

function isBeaten({ challengedScore, margin, winnerId, winnerScore }: Race, before: Reign) {
  // Nobody challenges itself, and what was not there to be beaten was not beaten.
  if (winnerId === before.id || challengedScore === null || margin === null) return false;
  return tt(winnerScore ?? '') >= tt(challengedScore) + tt(margin);
}
