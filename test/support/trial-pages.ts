import type { ExecutionContext } from 'ava';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import { listening } from './listening.ts';

/** Public pages by their paths, in the shapes of the service; a test changes what it is about. */
export type TrialPages = Record<string, unknown>;

type Entrant = RaceBundle['entrants'][number];

const number = (text: string | null) => (text === null ? null : Number(text));
const instant = (ms: number) => new Date(ms).toISOString();

/** What a service says beside an honest bundle. */
export function trialPages(bundle: RaceBundle): TrialPages {
  const { race, window, top_before: top } = bundle;
  const suite = `suite_id=${race.suite_id}`;
  return {
    ...racePages(bundle),
    [`/v1/public/races/history?${suite}&limit=100&offset=0`]: {
      races: [
        { race_id: race.race_id, race_number: race.race_number, status: 'RACE_COMPLETE' },
        ...window.map(({ race_id, race_number }) => ({
          ...{ race_id, race_number, status: 'RACE_COMPLETE' },
        })),
      ],
    },
    [`/v1/public/top/history?${suite}`]: reignsOf(bundle),
    [boardPath(race)]: { entries: bundle.entrants.map((each) => boardEntry(each, race)) },
    ...Object.fromEntries(
      bundle.entrants.map((entrant) => [statusPath(entrant), versionStatus(bundle, [])]),
    ),
    ...(top && {
      [`/v1/public/agent-versions/${top.agent_version_id}`]: {
        race_scores: window.slice(0, 1).map((past) => ({
          ...{ race_id: past.race_id, race_number: past.race_number },
          weighted_score: number(top.score),
        })),
      },
    }),
  };
}

export const racePath = (raceId: string) => `/v1/public/races/${raceId}`;
export const boardPath = ({ suite_id }: Pick<RaceBundle['race'], 'suite_id'>) =>
  `/v1/public/leaderboard?suite_id=${suite_id}&limit=500&offset=0`;
export const statusPath = ({ agent_version_id: id }: Pick<Entrant, 'agent_version_id'>) =>
  `/v1/public/agent-versions/${id}/status`;

/** Of an entrant that became eligible an hour before the close. */
function boardEntry(entrant: Entrant, race: RaceBundle['race']) {
  return {
    agent_version_id: entrant.agent_version_id,
    miner_hotkey: entrant.miner_hotkey,
    qualifying_score: number(entrant.qualifying_score),
    eligible_at: instant(race.closed_at - 3_600_000),
    eliminated_at: entrant.is_eliminated ? instant(race.completed_at) : null,
    is_miner_banned: false,
  };
}

/**
 * Of a version that was discarded, reinstated, discarded and so on: before the end of the race by so many
 * milliseconds.
 */
export function versionStatus({ race }: RaceBundle, turnedBefore: readonly number[]) {
  return {
    timeline: [
      { at: instant(race.opened_at), event: 'submitted', detail: null },
      {
        at: instant(race.closed_at),
        event: 'race_entered',
        detail: `race ${race.race_number} as SURVIVOR`,
      },
      ...turnedBefore.map((ms, at) => ({
        at: instant(race.completed_at - ms),
        ...(at % 2 === 0
          ? { event: 'discarded', detail: 'INTEGRITY' }
          : { event: 'reinstated', detail: null }),
      })),
    ],
  };
}

/** The pages of the race and of those in its window, as whoever wrote the bundle would have them. */
export function racePages(bundle: RaceBundle): TrialPages {
  const { race, window, entrants } = bundle;
  const hotkeys = new Map(entrants.map((each) => [each.agent_version_id, each.miner_hotkey]));
  const past = window.map((each) => [
    racePath(each.race_id),
    {
      race: {
        ...racePage(bundle),
        ...{ race_id: each.race_id, race_number: each.race_number },
        top50_mean: number(each.anchor),
      },
      qualifiers: Object.entries(each.raw_scores).map(([id, score]) => ({
        agent_version_id: id,
        miner_hotkey: hotkeys.get(id) ?? `miner of ${id}`,
        ...{ agent_name: 'agent', version_number: 1, unfinished_reason: null },
        ...{ qualification_type: 'QUALIFIED', qualifying_score: 0.6 },
        ...{ race_score: number(score), weighted_score: number(score), race_rank: 1 },
        ...{ eliminated_at: null, is_discarded: false, window: null },
      })),
    },
  ]);
  return {
    ...Object.fromEntries(past),
    [racePath(race.race_id)]: {
      race: racePage(bundle),
      qualifiers: entrants.map((entrant) => qualifierOf(entrant, race.completed_at)),
    },
  };
}

function racePage({ race, entrants }: Pick<RaceBundle, 'race' | 'entrants'>) {
  const winner = entrants.find((each) => each.agent_version_id === race.winner_agent_version_id);
  return {
    race_id: race.race_id,
    suite_id: race.suite_id,
    race_number: race.race_number,
    status: 'RACE_COMPLETE',
    qualifying_closes_at: instant(race.qualifying_closes_at),
    race_started_at: instant(race.started_at),
    race_completed_at: instant(race.completed_at),
    ...{ race_cancelled_at: null, cancel_reason: null },
    created_at: instant(race.opened_at),
    projected_completion_at: instant(race.completed_at),
    qualifying_threshold: number(race.policy.qualifyingThreshold),
    winner_agent_version_id: race.winner_agent_version_id,
    winner_agent_name: winner?.agent_name ?? null,
    winner_score: number(race.winner_score),
    qualifier_count: race.qualifier_count,
    scored_count: race.scored_count,
    top50_mean: number(race.top50_mean),
    top50_std: number(race.top50_std),
    margin: number(race.margin),
    challenged_score: number(race.challenged_score),
    promoted_agent_version_id: race.promoted_agent_version_id,
    policy: {
      qualifying_threshold: 0.55,
      ...{ margin_initial: 0.01, margin_half_life_days: 10, margin_floor: 0 },
      ...{ emission_baseline_burn_rate: 0.01, required_successes_race: 2, elimination_share: 0.65 },
      ...{ race_tasks: 90, race_limit_seconds: 72_000, score_window_races: 3 },
    },
  };
}

function qualifierOf(entrant: Entrant, completedAt: number) {
  return {
    agent_version_id: entrant.agent_version_id,
    agent_name: entrant.agent_name,
    version_number: entrant.version_number,
    unfinished_reason: entrant.unfinished_reason,
    miner_hotkey: entrant.miner_hotkey,
    qualification_type: entrant.qualification_type,
    qualifying_score: number(entrant.qualifying_score),
    race_score: number(entrant.race_score),
    weighted_score: number(entrant.weighted_score),
    race_rank: entrant.race_rank,
    eliminated_at: entrant.is_eliminated ? instant(completedAt) : null,
    is_discarded: false,
    window:
      entrant.score_window?.map((slot) => ({
        ...slot,
        raw_score: number(slot.raw_score),
        anchor: number(slot.anchor),
        delta: number(slot.delta),
      })) ?? null,
  };
}

function reignsOf({ race, window, top_before: top }: RaceBundle) {
  const promoted = race.promoted_agent_version_id;
  const end = promoted === null ? null : instant(race.completed_at);
  const begun = promoted && {
    ...{ agent_version_id: promoted, miner_hotkey: 'winner', race_id: race.race_id },
    ...{ top_at: instant(race.completed_at), ended_at: null },
  };
  const before = top && {
    agent_version_id: top.agent_version_id,
    miner_hotkey: top.miner_hotkey,
    race_id: window[0]?.race_id,
    ...{ top_at: instant(top.top_at), ended_at: end },
  };
  return [begun, before].filter((reign) => reign !== null);
}

/** Serves the pages until the test ends; where. */
export async function servePages(t: ExecutionContext, pages: TrialPages): Promise<string> {
  const { origin } = await listening(t, ({ url = '' }, response) => {
    const page = pages[url];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(page ?? { detail: `no page of ${url}` }));
  });
  return origin;
}
