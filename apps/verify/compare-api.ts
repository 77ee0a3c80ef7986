import type { RaceBundle } from '../../machines/race/bundle.ts';
import { compareDiscards } from './compare-discards.ts';
import { compareTop } from './compare-top.ts';
import { compareWindow } from './compare-window.ts';
import type { Comparison } from './difference.ts';
import { instantOf, numberOf, type RacePage, readRacePage } from './race-page.ts';

/** Compares what the public pages say of a race, and of what it was measured by, with its bundle. */
export async function compareApi(url: string, bundle: RaceBundle, to: Comparison): Promise<void> {
  const page = await readRacePage(url, bundle.race.race_id);
  compareRacePage(page.race, bundle.race, to);
  compareQualifiers(page.qualifiers, bundle.entrants, to);
  await compareWindow(url, bundle, to);
  await compareTop(url, bundle, to);
  await compareDiscards({ url, bundle, page }, to);
}

function compareRacePage(page: RacePage['race'], race: RaceBundle['race'], to: Comparison): void {
  const name = 'page of the race:';
  to.same(`${name} race_id`, page.race_id, race.race_id);
  to.same(`${name} suite_id`, page.suite_id, race.suite_id);
  to.same(`${name} race_number`, page.race_number, race.race_number);
  to.same(`${name} status`, page.status, 'RACE_COMPLETE');
  to.same(`${name} race_completed_at`, page.race_completed_at, instantOf(race.completed_at));
  const { qualifyingThreshold: threshold } = race.policy;
  to.same(`${name} qualifying_threshold`, page.qualifying_threshold, numberOf(threshold));
  const { winner_agent_version_id: winner } = race;
  to.same(`${name} winner_agent_version_id`, page.winner_agent_version_id, winner);
  to.same(`${name} winner_score`, page.winner_score, numberOf(race.winner_score));
  to.same(`${name} qualifier_count`, page.qualifier_count, race.qualifier_count);
  to.same(`${name} scored_count`, page.scored_count, race.scored_count);
  to.same(`${name} top50_mean`, page.top50_mean, numberOf(race.top50_mean));
  to.same(`${name} top50_std`, page.top50_std, numberOf(race.top50_std));
}

function compareQualifiers(
  qualifiers: RacePage['qualifiers'],
  entrants: RaceBundle['entrants'],
  to: Comparison,
): void {
  to.same('page of the race: qualifiers', qualifiers.length, entrants.length);
  const pages = new Map(qualifiers.map((each) => [each.agent_version_id, each]));
  for (const entrant of entrants) {
    const page = pages.get(entrant.agent_version_id);
    const name = `page of version ${entrant.agent_version_id}:`;
    to.same(`${name} miner_hotkey`, page?.miner_hotkey, entrant.miner_hotkey);
    to.same(`${name} qualification_type`, page?.qualification_type, entrant.qualification_type);
    const { qualifying_score: score } = entrant;
    to.same(`${name} qualifying_score`, page?.qualifying_score, numberOf(score));
    to.same(`${name} race_score`, page?.race_score, numberOf(entrant.race_score));
    to.same(`${name} weighted_score`, page?.weighted_score, numberOf(entrant.weighted_score));
    to.same(`${name} race_rank`, page?.race_rank, entrant.race_rank);
    const isEliminated = page !== undefined && page.eliminated_at !== null;
    to.same(`${name} eliminated`, isEliminated, entrant.is_eliminated);
    to.same(`${name} window`, page?.window ?? null, windowOf(entrant));
  }
}

function windowOf({ score_window: slots }: RaceBundle['entrants'][number]) {
  if (slots === null) return null;
  return slots.map((slot) => ({
    race_id: slot.race_id,
    race_number: slot.race_number,
    raw_score: numberOf(slot.raw_score),
    anchor: numberOf(slot.anchor),
    delta: numberOf(slot.delta),
    is_seed: slot.is_seed,
  }));
}
