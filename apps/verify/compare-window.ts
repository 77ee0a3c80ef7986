import { z } from 'zod';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import { unfinishedSurvivors } from './compare-field.ts';
import type { Comparison } from './difference.ts';
import { readPage } from './public-page.ts';
import { numberOf, type RacePage, readRacePage } from './race-page.ts';
import type { Service } from './whole-answer.ts';

type PastRace = RaceBundle['window'][number];
type Qualifier = RacePage['qualifiers'][number];

const pageRaces = 100;
const raceHistory = z.object({
  races: z.array(z.object({ race_id: z.string(), race_number: z.number(), status: z.string() })),
});

/** The races that Overall looks back on are the suite's latest, with what their own pages say. */
export async function compareWindow(service: Service, bundle: RaceBundle, to: Comparison) {
  const ids = bundle.window.map(({ race_id }) => race_id);
  to.published('window', ids, await earlierRaces(service, bundle.race));
  const last = Math.max(...bundle.window.map(({ race_number }) => race_number));
  for (const past of bundle.window) {
    const page = await readRacePage(service, past.race_id);
    compareHead(page, past, bundle, to);
    compareScores(page, past, to);
    compareEliminated(page, past, bundle, to);
    if (past.race_number !== last) continue;
    doubtSurvivors(page, past, bundle, to);
    for (const { agent_version_id: id } of unfinishedSurvivors(bundle)) {
      to.published(`version ${id}, survivor of race ${last}`, true, survives(page, id));
    }
  }
}

/** Completed races of the suite before this one, newest first, as many as Overall looks back on. */
async function earlierRaces(
  service: Service,
  race: RaceBundle['race'],
): Promise<readonly string[]> {
  const count = race.policy.windowRaces - 1;
  const found: string[] = [];
  for (let offset = 0; found.length < count; offset += pageRaces) {
    const query = `suite_id=${race.suite_id}&limit=${pageRaces}&offset=${offset}`;
    const { races } = await readPage(service, `/v1/public/races/history?${query}`, raceHistory);
    if (races.length === 0) break;
    const earlier = races.filter(
      ({ status, race_number: number }) => status === 'RACE_COMPLETE' && number < race.race_number,
    );
    found.push(...earlier.map(({ race_id }) => race_id));
  }
  return found.slice(0, count);
}

function compareHead(
  { race: page }: RacePage,
  past: PastRace,
  { race }: RaceBundle,
  to: Comparison,
) {
  const name = `race ${past.race_number}`;
  to.published(`${name}, suite`, race.suite_id, page.suite_id);
  to.published(`${name}, number`, past.race_number, page.race_number);
  to.published(`${name}, status`, 'RACE_COMPLETE', page.status);
  to.published(`${name}, anchor`, numberOf(past.anchor), page.top50_mean);
}

function compareScores({ qualifiers }: RacePage, past: PastRace, to: Comparison): void {
  const pages = new Map(qualifiers.map((each) => [each.agent_version_id, each.race_score]));
  for (const id of new Set([...Object.keys(past.raw_scores), ...pages.keys()])) {
    const name = `race ${past.race_number}, race score of version ${id}`;
    to.published(name, numberOf(past.raw_scores[id] ?? null), pages.get(id) ?? null);
  }
}

function compareEliminated(
  { qualifiers }: RacePage,
  { race_number: number }: PastRace,
  { entrants }: RaceBundle,
  to: Comparison,
): void {
  const racing = new Set(entrants.map(({ agent_version_id }) => agent_version_id));
  const gone = qualifiers.filter(
    (each) => each.eliminated_at !== null && racing.has(each.agent_version_id),
  );
  const ids = gone.map(({ agent_version_id }) => agent_version_id);
  to.published(`eliminated in race ${number}, and racing again`, ids, []);
}

/** Finished or not, but for a top that its throne spared for its own fault. */
function isSurvivor({ eliminated_at, race_score, unfinished_reason }: Qualifier): boolean {
  return eliminated_at === null && (race_score !== null || unfinished_reason === 'NOT_FINISHED');
}

function survives({ qualifiers }: RacePage, id: string): boolean {
  return qualifiers.some((each) => each.agent_version_id === id && isSurvivor(each));
}

/** Of the suite's race before this one, as its page says. */
export async function hasSurvived(
  service: Service,
  bundle: RaceBundle,
  id: string,
): Promise<boolean> {
  const [last] = await earlierRaces(service, bundle.race);
  return last !== undefined && survives(await readRacePage(service, last), id);
}

/** A survivor's hotkey is in the next field, unless the version was discarded or the hotkey banned. */
function doubtSurvivors(
  { qualifiers }: RacePage,
  { race_number: number }: PastRace,
  { entrants }: RaceBundle,
  to: Comparison,
): void {
  const racing = new Set(entrants.map(({ miner_hotkey }) => miner_hotkey));
  for (const qualifier of qualifiers) {
    const { miner_hotkey: hotkey, is_discarded } = qualifier;
    if (!isSurvivor(qualifier) || is_discarded || racing.has(hotkey)) continue;
    to.doubt(
      `hotkey ${hotkey} survived race ${number} and has no entrant: a ban would be why, and bans are not public`,
    );
  }
}
