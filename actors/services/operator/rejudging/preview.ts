import type { Sql, Transaction } from '../../../../infra/ports/sql.ts';
import type { RaceInputs } from '../../../../machines/race/field.ts';
import { racePolicy } from '../../../../machines/race/policy.ts';
import {
  type JudgedRace,
  type JudgedVersion,
  previewRace,
  previewVersions,
  type RejudgingPreview,
  scoredAgain,
} from '../../../../machines/rejudging/preview.ts';
import { rejudgedRacesMax } from '../messages.ts';
import { placesOnBoard } from './places.ts';
import type { Judging } from './reads.ts';

/** What the verdicts that are there would make of scores and ranks, as things stand now. */
export async function previewBoard(
  sql: Sql | Transaction,
  suiteId: number,
  judgings: readonly Judging[],
): Promise<Omit<RejudgingPreview, 'races'>> {
  const qualifying = judgings.filter(({ raceId }) => raceId === null);
  const usable = qualifying.filter(
    ({ state, obstacle }) => state === 'JUDGED' && obstacle === null,
  );
  const versionIds = [...new Set(qualifying.map(({ agentVersionId }) => agentVersionId))];
  const scored = scoredAgain(await judgedVersions(sql, versionIds), verdictsOf(usable));
  const { ranks, shiftedCount } = await placesOnBoard(sql, suiteId, scored);
  return { versions: previewVersions(scored, ranks), shiftedCount };
}

/**
 * What they would have made of completed races and their payouts. Each race is a statement of its own, so that
 * neither the database nor this process is held for longer than one takes; and none is locked, for they are over.
 */
export async function previewRaces(
  sql: Sql,
  judgings: readonly Judging[],
  isWanted = () => true,
): Promise<RejudgingPreview['races']> {
  const verdicts = raceVerdicts(judgings);
  const told: RejudgingPreview['races'] = [];
  for (const raceId of await racesInOrder(sql, judgings)) {
    if (!isWanted()) throw new Error(`there is no time left for race ${raceId}`);
    told.push(previewRace(await judgedRace(sql, raceId), verdicts));
  }
  return told;
}

/** All that the difference of completed races hangs on: whatever else it is computed from is history. */
export function raceVerdicts(judgings: readonly Judging[]): ReadonlyMap<string, number> {
  return verdictsOf(judgings.filter(({ state, raceId }) => state === 'JUDGED' && raceId !== null));
}

async function racesInOrder(sql: Sql, judgings: readonly Judging[]): Promise<readonly string[]> {
  const judged = judgings.filter(({ state }) => state === 'JUDGED');
  const raceIds = [...new Set(judged.flatMap(({ raceId }) => raceId ?? []))];
  if (raceIds.length === 0) return [];
  const rows = await sql<{ raceId: string }[]>`
    select r.race_id as "raceId" from race r
    where r.race_id = any(${raceIds}::uuid[])
    order by r.race_number
    limit ${rejudgedRacesMax}`;
  return rows.map(({ raceId }) => raceId);
}

function verdictsOf(judgings: readonly Judging[]): ReadonlyMap<string, number> {
  return new Map(
    judgings.flatMap(({ evalRunId, newScoreMicro }) =>
      newScoreMicro === null ? [] : [[evalRunId, newScoreMicro] as const],
    ),
  );
}

async function judgedVersions(
  sql: Sql | Transaction,
  versionIds: readonly string[],
): Promise<readonly JudgedVersion[]> {
  return await sql<JudgedVersion[]>`
    select v.agent_version_id as "agentVersionId",
      case when v.state = 'ELIGIBLE' then v.qualifying_score end as "boardScore",
      w.state = 'CLOSED' as "isScored", coalesce((
        select jsonb_agg(jsonb_build_object(
          'evalRunId', r.eval_run_id, 'scoreMicro', r.score_micro))
        from evaluation_run r
        where r.work_item_id = w.work_item_id and r.is_included), '[]') as included
    from agent_version v
    join work_item w on w.agent_version_id = v.agent_version_id and w.phase = 'QUALIFYING'
      and w.rejudging_id is null
    where v.agent_version_id = any(${[...versionIds]}::uuid[])`;
}

interface RaceRow {
  readonly inputs: RaceInputs;
  readonly policy: unknown;
  readonly completedAtMs: number;
  /** Who reigned just before the race completed, with the score that was to beat. */
  readonly top: RaceInputs['top'];
  /** Of entrants that had no score then: why. */
  readonly unfinished: Readonly<Record<string, string | null>>;
  readonly rejudgingRunIds: readonly string[];
}

async function judgedRace(sql: Sql, raceId: string): Promise<JudgedRace> {
  const [row] = await sql<RaceRow[]>`
    select rt.race_results(r.race_id) as inputs, r.policy,
      rt.milliseconds(r.completed_at)::float8 as "completedAtMs",
      (
        select jsonb_object_agg(e.agent_version_id, e.unfinished_reason)
        from race_entrant e where e.race_id = r.race_id
      ) as unfinished,
      (
        select jsonb_build_object('agentVersionId', t.agent_version_id,
          'minerHotkey', t.miner_hotkey, 'score', r.challenged_score::text,
          'topAt', rt.milliseconds(t.top_at))
        from top_agent t
        where t.suite_id = r.suite_id and t.top_at < r.completed_at
          and (t.ended_at is null or t.ended_at >= r.completed_at)
          and r.challenged_score is not null
      ) as top,
      array(
        select u.eval_run_id::text from evaluation_run u
        where u.race_id = r.race_id and u.rejudging_id is not null
      ) as "rejudgingRunIds"
    from race r
    where r.race_id = ${raceId}`;
  if (row === undefined) throw new Error(`race ${raceId} is gone`);
  return asItEnded(row);
}

/** Bans, discards and reigns as they were then, and without the runs that judge others again. */
function asItEnded({ inputs, policy, completedAtMs, ...then }: RaceRow): JudgedRace {
  const rejudging = new Set(then.rejudgingRunIds);
  const entrants = inputs.entrants.map((entrant) => ({
    ...entrant,
    isDiscarded: then.unfinished[entrant.agentVersionId] === 'DISCARDED',
    isMinerBanned: then.unfinished[entrant.agentVersionId] === 'BANNED',
    runs: entrant.runs.filter(({ evalRunId }) => !rejudging.has(evalRunId)),
  }));
  const policyThen = racePolicy.parse(policy);
  return { inputs: { ...inputs, entrants, top: then.top }, policy: policyThen, completedAtMs };
}
