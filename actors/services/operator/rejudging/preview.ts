import type { Fragment, Sql, Transaction } from '../../../../infra/ports/sql.ts';
import type { RaceInputs } from '../../../../machines/race/field.ts';
import { racePolicy } from '../../../../machines/race/policy.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { isReached, type JudgedRace, nothingHanded } from '../../../../machines/rejudging/chain.ts';
import {
  type JudgedVersion,
  previewRace,
  previewVersions,
  type RejudgingPreview,
  scoredAgain,
} from '../../../../machines/rejudging/preview.ts';
import { rejudgedRacesMax } from '../messages.ts';
import { placesOnBoard } from './places.ts';
import type { Judging } from './reads.ts';

const tooLong = 'What its races come to could not be read while somebody waits for it.';

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
 * What they would have made of completed races and their payouts, and of later races by these. Each race is a
 * statement of its own, so that neither the database nor this process is held for longer than one takes; and none is
 * locked, for they are over. Refused where `isWanted` does not let it go on.
 */
export async function previewRaces(
  sql: Sql,
  judgings: readonly Judging[],
  isWanted = () => true,
): Promise<RejudgingPreview['races']> {
  const verdicts = raceVerdicts(judgings);
  const judged = judgedRaceIds(judgings);
  const races = await racesFrom(sql, judged);
  const before: string[] = [];
  const told: RejudgingPreview['races'] = [];
  let handed = nothingHanded;
  for (const { raceId, windowRaces } of races) {
    if (judged.includes(raceId) || isReached({ before, windowRaces }, handed)) {
      if (!isWanted()) throw refusal('OVERLOADED', { says: tooLong });
      const heir = handed.top?.becomes.agentVersionId ?? null;
      const race = previewRace(await judgedRace(sql, raceId, heir), verdicts, handed);
      handed = race.handed;
      if (race.difference !== null) told.push(race.difference);
    }
    before.push(raceId);
  }
  return told;
}

/** All that the difference of completed races hangs on: whatever else it is computed from is history. */
export function raceVerdicts(judgings: readonly Judging[]): ReadonlyMap<string, number> {
  return verdictsOf(judgings.filter(({ state, raceId }) => state === 'JUDGED' && raceId !== null));
}

function judgedRaceIds(judgings: readonly Judging[]): readonly string[] {
  const judged = judgings.filter(({ state }) => state === 'JUDGED');
  return [...new Set(judged.flatMap(({ raceId }) => raceId ?? []))];
}

/** A month of races from the first of these on: what it would have changed of later ones is not told. */
async function racesFrom(
  sql: Sql,
  raceIds: readonly string[],
): Promise<readonly { readonly raceId: string; readonly windowRaces: number }[]> {
  if (raceIds.length === 0) return [];
  return await sql<{ raceId: string; windowRaces: number }[]>`
    select r.race_id as "raceId", (r.policy ->> 'windowRaces')::integer as "windowRaces"
    from (
      select suite_id, min(race_number) as number from race
      where race_id = any(${[...raceIds]}::uuid[])
      group by suite_id
    ) first
    join race r on r.suite_id = first.suite_id and r.race_number >= first.number
    where r.status = 'RACE_COMPLETE'
    order by r.race_number
    limit ${rejudgedRacesMax}`;
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
  readonly hasHeirFallen: boolean;
}

/** With whether `heir`, who would have reigned since the race before, still would have at the end of this one. */
async function judgedRace(sql: Sql, raceId: string, heir: string | null): Promise<JudgedRace> {
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
      ) as "rejudgingRunIds",
      ${heir}::uuid is not null and (${hasFallen(sql, sql`${heir}::uuid`)}) as "hasHeirFallen"
    from race r
    where r.race_id = ${raceId}`;
  if (row === undefined) throw new Error(`race ${raceId} is gone`);
  return asItEnded(row);
}

/**
 * By the end of the race `r`, as far as rows tell: of a discard or ban that was taken back, only that of who did
 * reign, or raced.
 */
function hasFallen(sql: Sql, heir: Fragment): Fragment {
  const before = sql`(
    select max(p.completed_at) from race p
    where p.suite_id = r.suite_id and p.status = 'RACE_COMPLETE' and p.race_number < r.race_number)`;
  return sql`
    exists (
      select from race_entrant e
      where e.race_id = r.race_id and e.agent_version_id = ${heir}
        and e.unfinished_reason in ('DISCARDED', 'BANNED'))
    or exists (
      select from agent_version v
      left join hotkey_ban b on b.hotkey = v.miner_hotkey
      where v.agent_version_id = ${heir}
        and (v.state = 'DISCARDED' and v.discarded_at < r.completed_at
          or b.banned_at < r.completed_at))
    or exists (
      select from top_agent t
      where t.suite_id = r.suite_id and t.ended_at >= ${before} and t.ended_at < r.completed_at
        and (t.end_reason = 'SUITE_SWITCHED'
          or t.agent_version_id = ${heir} and t.end_reason in ('DISCARDED', 'BANNED')))
    or exists (
      select from suite s
      where s.suite_id = r.suite_id and s.activated_at > ${before}
        and s.activated_at < r.completed_at)`;
}

/** Bans, discards and reigns as they were then, and without the runs that judge others again. */
function asItEnded({ inputs, policy, ...then }: RaceRow): JudgedRace {
  const rejudging = new Set(then.rejudgingRunIds);
  const entrants = inputs.entrants.map((entrant) => ({
    ...entrant,
    isDiscarded: then.unfinished[entrant.agentVersionId] === 'DISCARDED',
    isMinerBanned: then.unfinished[entrant.agentVersionId] === 'BANNED',
    runs: entrant.runs.filter(({ evalRunId }) => !rejudging.has(evalRunId)),
  }));
  const { completedAtMs, hasHeirFallen, top } = then;
  const policyThen = racePolicy.parse(policy);
  return { inputs: { ...inputs, entrants, top }, policy: policyThen, completedAtMs, hasHeirFallen };
}
