import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { FieldCandidate } from '../../machines/race/field.ts';
import type { Comparison } from './difference.ts';
import { fieldByLaw } from './live/field-by-law.ts';

type Entrant = RaceBundle['entrants'][number];
type PastRace = RaceBundle['window'][number];

/**
 * Selects the field again among those who raced: each hotkey has one entrant, which had the right that
 * it is said to have. Who else could have raced is not in the bundle.
 */
export function compareField(bundle: RaceBundle, to: Comparison): void {
  const { race, entrants } = bundle;
  const { qualifyingThreshold } = race.policy;
  const candidates = entrants.map((entrant) => candidateOf(entrant, bundle));
  const field = fieldByLaw(candidates, { suiteId: race.suite_id, qualifyingThreshold });
  const selected = Map.groupBy(field.entrants, ({ minerHotkey }) => minerHotkey);
  for (const [hotkey, own] of Map.groupBy(entrants, ({ miner_hotkey }) => miner_hotkey)) {
    const computed = selected.get(hotkey) ?? [];
    const [entrant] = own;
    if (own.length > 1 || entrant === undefined) {
      const ids = own.map(({ agent_version_id }) => agent_version_id);
      const selectedIds = computed.map(({ agentVersionId }) => agentVersionId);
      to.same(`entrants of hotkey ${hotkey}`, ids, selectedIds);
      continue;
    }
    const { agent_version_id: id, qualification_type: type, qualifying_score: score } = entrant;
    const name = `version ${id} with ${score} at a threshold of ${qualifyingThreshold}, entered as`;
    to.same(name, type, computed[0]?.qualificationType ?? null);
  }
  compareWindowOrder(bundle, to);
}

function compareWindowOrder({ race, window }: RaceBundle, to: Comparison): void {
  const numbers = window.map(({ race_number }) => race_number);
  const earlier = [...new Set(numbers)].filter((each) => each < race.race_number);
  to.same(
    'window, earlier races, newest first',
    numbers,
    earlier.sort((left, right) => right - left).slice(0, race.policy.windowRaces - 1),
  );
}

/**
 * Entrants whose right was the throne, which nobody had any more when the race was over. Whether they
 * had it at the close, the bundle does not say; a pin may be of a survivor instead.
 */
export function fallenTops(bundle: RaceBundle): readonly Entrant[] {
  if (!hasFallenTop(bundle)) return [];
  return bundle.entrants.filter(
    (entrant) =>
      entrant.qualification_type === 'INCUMBENT_TOP' ||
      (entrant.qualification_type === 'PINNED' && needsSurvival(entrant, bundle)),
  );
}

/**
 * Entrants whose right was that the race before did not eliminate them, though they have no score of it.
 * Whether they were in it, the bundle does not say.
 */
export function unfinishedSurvivors(bundle: RaceBundle): readonly Entrant[] {
  const fallen = new Set(fallenTops(bundle));
  return bundle.entrants.filter(
    (entrant) => needsSurvival(entrant, bundle) && !fallen.has(entrant),
  );
}

/** Nothing else that the bundle says gave it the right to race. */
function needsSurvival(entrant: Entrant, bundle: RaceBundle): boolean {
  const last = raceBefore(bundle);
  if (last === undefined || hasFinished(entrant, last) || isTopBefore(entrant, bundle))
    return false;
  const { qualification_type: type, qualifying_score: score } = entrant;
  const isBelow = score === null || score < bundle.race.policy.qualifyingThreshold;
  return type === 'SURVIVOR' || (type === 'PINNED' && isBelow);
}

function candidateOf(entrant: Entrant, bundle: RaceBundle): FieldCandidate {
  return {
    agentVersionId: entrant.agent_version_id,
    minerHotkey: entrant.miner_hotkey,
    state: 'ELIGIBLE',
    suiteId: bundle.race.suite_id,
    qualifyingScore: entrant.qualifying_score,
    submittedAt: 0,
    isEliminated: false,
    isMinerBanned: false,
    isSurvivor: isSurvivor(entrant, bundle),
    isTop: isTop(entrant, bundle),
    isPinned: entrant.qualification_type === 'PINNED',
  };
}

/**
 * Whoever finished the suite's latest race and races again, for an eliminated version never does; and
 * whoever is said to have been in it without a score.
 */
function isSurvivor(entrant: Entrant, bundle: RaceBundle): boolean {
  const isSaid = ['SURVIVOR', 'PINNED'].includes(entrant.qualification_type);
  // A window of this race alone leaves the one before it out of the bundle.
  if (bundle.race.policy.windowRaces === 1) return isSaid;
  const last = raceBefore(bundle);
  return last !== undefined && (isSaid || hasFinished(entrant, last));
}

function raceBefore({ window }: RaceBundle): PastRace | undefined {
  return window.toSorted((left, right) => right.race_number - left.race_number)[0];
}

const hasFinished = ({ agent_version_id: id }: Entrant, past: PastRace) =>
  past.raw_scores[id] !== undefined;

/** A top changes by the end of a race alone, and falls without an heir by a discard or a ban. */
function isTop(entrant: Entrant, bundle: RaceBundle): boolean {
  if (bundle.top_before !== null) return isTopBefore(entrant, bundle);
  const type = entrant.qualification_type;
  return hasFallenTop(bundle) && (type === 'INCUMBENT_TOP' || type === 'PINNED');
}

function isTopBefore({ agent_version_id: id }: Entrant, { top_before: top }: RaceBundle): boolean {
  return top?.agent_version_id === id;
}

/** At least for all that the bundle says: a suite's first race has no top. */
function hasFallenTop({ top_before: top, window, race }: RaceBundle): boolean {
  return top === null && (window.length > 0 || race.policy.windowRaces === 1);
}
