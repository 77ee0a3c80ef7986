import type { Sql } from '../../../../infra/ports/sql.ts';
import { weights } from '../race-arithmetic.ts';
import { type Entrant, finishersOf, type Race, reignBefore } from './race-rows.ts';

const allUnits = 10n ** 18n;

interface Payee {
  readonly id: string | null;
  readonly hotkey: string | null;
}

interface Seat extends Payee {
  readonly seat: string;
  readonly weight: string;
  readonly units: string;
}

/** Nobody is paid by what the seats say of themselves: who they belong to follows from the race. */
export async function wrongSeats(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const seats = await seatsOf(sql, race);
  const top = await topAfter(race, entrants, sql);
  const survivors = finishersOf(entrants)
    .filter(({ isEliminated, hotkey }) => !isEliminated && hotkey !== top?.hotkey)
    .toSorted((a, b) => Number(b.raw) - Number(a.raw) || (a.id < b.id ? -1 : 1));
  const wanted = [
    spelled('BURN', { id: null, hotkey: null }),
    ...(top === undefined ? [] : [spelled('TOP', top)]),
    ...survivors.map((survivor) => spelled('TAIL', survivor)),
  ];
  const said = seats.map((seat) => spelled(seat.seat, seat));
  return Array.from({ length: Math.max(said.length, wanted.length) }, (_, index) => index)
    .filter((index) => said[index] !== wanted[index])
    .map((index) => `seat ${index} is ${said[index]}, and should be ${wanted[index]}`);
}

/** As many weights as there should be seats; the rest of the division is the first one's that weighs. */
export async function wrongUnits(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<readonly string[]> {
  const seats = await seatsOf(sql, race);
  const hasTop = (await topAfter(race, entrants, sql)) !== undefined;
  const tailCount = seats.length - (hasTop ? 2 : 1);
  if (tailCount < 0) return ['too few seats'];
  const { burn, top, tail } = weights(BigInt(race.policy.burnRateMicro), tailCount, hasTop);
  const list = [burn, ...(top === undefined ? [] : [top]), ...tail];
  if (seats.map(({ weight }) => weight).join() !== list.join()) return ['weights'];
  const total = list.reduce((a, b) => a + b, 0n);
  const units = list.map((weight) => (allUnits * weight) / total);
  const rest = allUnits - units.reduce((a, b) => a + b, 0n);
  const first = list.findIndex((weight) => weight > 0n);
  return seats.flatMap(({ seat, units: said }, index) => {
    const wanted = (units[index] ?? 0n) + (index === first ? rest : 0n);
    return BigInt(said) === wanted ? [] : [`${seat} ${index}: ${said} units instead of ${wanted}`];
  });
}

async function seatsOf(sql: Sql, { raceId }: Race): Promise<readonly Seat[]> {
  return await sql<Seat[]>`
    select seat, agent_version_id as id, miner_hotkey as hotkey, weight::text, units::text
    from race_emission where race_id = ${raceId} order by position`;
}

/** Whom the race crowned, else who reigned. */
async function topAfter(
  race: Race,
  entrants: readonly Entrant[],
  sql: Sql,
): Promise<Payee | undefined> {
  const { promotedId } = race;
  if (promotedId === null) return await reignBefore(sql, race);
  const hotkey = entrants.find(({ id }) => id === promotedId)?.hotkey ?? null;
  return { id: promotedId, hotkey };
}

const spelled = (seat: string, { id, hotkey }: Payee) => `${seat} of ${id} (${hotkey})`;
