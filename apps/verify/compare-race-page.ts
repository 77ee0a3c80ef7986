import type { RaceBundle } from '../../machines/race/bundle.ts';
import type { RacePolicy } from '../../machines/race/policy.ts';
import type { Comparison } from './difference.ts';
import { instantOf, numberOf, type RacePage } from './race-page.ts';

type Entrant = RaceBundle['entrants'][number];
type QualifierPage = Omit<
  RacePage['qualifiers'][number],
  // By which its entrant is found, and what is compared with the version's timeline.
  'agent_version_id' | 'is_discarded'
>;

/** What the race's own page says, field by field, with what follows for it from the bundle. */
export function compareRacePage(page: RacePage, bundle: RaceBundle, to: Comparison): void {
  compareFields('page of the race', page.race, racePageOf(bundle), to);
  const { entrants, race } = bundle;
  to.same('page of the race: qualifiers', page.qualifiers.length, entrants.length);
  const pages = new Map(page.qualifiers.map((each) => [each.agent_version_id, each]));
  for (const entrant of entrants) {
    const id = entrant.agent_version_id;
    compareFields(`page of version ${id}`, pages.get(id), qualifierPageOf(entrant, race), to);
  }
}

function compareFields<T extends object>(
  name: string,
  said: T | undefined,
  computed: T,
  to: Comparison,
): void {
  for (const field of Object.keys(computed) as (keyof T & string)[]) {
    to.same(`${name}: ${field}`, said?.[field], computed[field]);
  }
}

function racePageOf({ race, entrants }: RaceBundle): RacePage['race'] {
  const { policy, winner_agent_version_id: winnerId } = race;
  const winner = entrants.find(({ agent_version_id }) => agent_version_id === winnerId);
  return {
    race_id: race.race_id,
    suite_id: race.suite_id,
    race_number: race.race_number,
    status: 'RACE_COMPLETE',
    created_at: instantOf(race.opened_at),
    qualifying_closes_at: instantOf(race.qualifying_closes_at),
    race_started_at: instantOf(race.started_at),
    race_completed_at: instantOf(race.completed_at),
    // Only a race that was completed has a bundle.
    race_cancelled_at: null,
    cancel_reason: null,
    projected_completion_at: instantOf(race.completed_at),
    qualifying_threshold: Number(policy.qualifyingThreshold),
    winner_agent_version_id: winnerId,
    winner_agent_name: winner?.agent_name ?? null,
    winner_score: numberOf(race.winner_score),
    qualifier_count: race.qualifier_count,
    scored_count: race.scored_count,
    top50_mean: numberOf(race.top50_mean),
    top50_std: numberOf(race.top50_std),
    margin: numberOf(race.margin),
    challenged_score: numberOf(race.challenged_score),
    promoted_agent_version_id: race.promoted_agent_version_id,
    policy: policyPageOf(policy),
  };
}

const dayMs = 86_400_000;
const numberOfMicro = (micro: number) => micro / 1_000_000;

function policyPageOf(policy: RacePolicy): RacePage['race']['policy'] {
  return {
    qualifying_threshold: Number(policy.qualifyingThreshold),
    margin_initial: numberOfMicro(policy.marginInitialMicro),
    margin_half_life_days: policy.marginHalfLifeMs / dayMs,
    margin_floor: numberOfMicro(policy.marginFloorMicro),
    emission_baseline_burn_rate: numberOfMicro(policy.burnRateMicro),
    required_successes_race: policy.requiredSuccesses,
    elimination_share: numberOfMicro(policy.eliminationShareMicro),
    race_tasks: policy.raceTasks,
    race_limit_seconds: policy.raceLimitMs / 1000,
    score_window_races: policy.windowRaces,
  };
}

/** An elimination is for ever, so its instant is the end of the race. */
function qualifierPageOf(entrant: Entrant, race: RaceBundle['race']): QualifierPage {
  return {
    agent_name: entrant.agent_name,
    version_number: entrant.version_number,
    miner_hotkey: entrant.miner_hotkey,
    qualification_type: entrant.qualification_type,
    qualifying_score: numberOf(entrant.qualifying_score),
    race_score: numberOf(entrant.race_score),
    weighted_score: numberOf(entrant.weighted_score),
    race_rank: entrant.race_rank,
    eliminated_at: entrant.is_eliminated ? instantOf(race.completed_at) : null,
    unfinished_reason: entrant.unfinished_reason,
    window: windowOf(entrant),
  };
}

function windowOf({ score_window: slots }: Entrant): QualifierPage['window'] {
  if (slots === null) return null;
  return slots.map((slot) => ({
    race_id: slot.race_id,
    race_number: slot.race_number,
    raw_score: numberOf(slot.raw_score),
    anchor: Number(slot.anchor),
    delta: Number(slot.delta),
    is_seed: slot.is_seed,
  }));
}
