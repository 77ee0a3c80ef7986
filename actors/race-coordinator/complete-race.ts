import {
  type CompletedRace,
  completeRace,
  type EntrantResult,
} from '../../machines/race/complete-race.ts';
import { decideCompletion, isEndDue } from '../../machines/race/decide.ts';
import type { RaceState } from '../../machines/race/machine.ts';
import { newsMs } from '../../machines/race/news.ts';
import type { RunCancelReason } from '../../machines/reasons/codes.ts';
import type { WindowSlot } from '../../machines/scoring/overall.ts';
import { cancelIfSuiteSwitched, writeCancellation } from './cancel-race.ts';
import { type Draft, holdOf, instant } from './draft.ts';
import type { EndGround } from './grounds.ts';
import { openNextRace } from './open-race.ts';

/** Once nobody has to evaluate anything any more, or the race limit passed. Else it goes on. */
export function completeIfDone(draft: Draft, raceId: string): void {
  const race = draft.race(raceId);
  if (race?.value !== 'raceRunning') return;
  if (cancelIfSuiteSwitched(draft, race)) return;
  const inputs = draft.grounds.results.get(raceId);
  if (inputs === undefined) return;
  const { isOrderOnItsWay } = inputs;
  const { servedSinceMs } = draft.env;
  if (!isEndDue(race, draft.nowMs, { ...inputs.value, isOrderOnItsWay, servedSinceMs })) return;
  if (awaitsEndOfReign(inputs, draft.nowMs)) return;
  // The batch has ended the reign that these inputs still tell of: they are read again in a moment.
  if (draft.env.races.isReignSettled) return;
  const { suiteId, policy } = race.context;
  const results = completeRace(inputs.value, policy, draft.nowMs);
  draft.hold({
    ...holdOf(draft, race),
    results_md5: inputs.md5,
    awaits_order: isOrderOnItsWay,
    top_fell_at_ms: inputs.topFellAtMs ?? 0,
  });
  const facts = decideCompletion(race, results, draft.nowMs);
  const over = draft.record(raceId, suiteId, facts);
  if (results.kind === 'no-finisher') writeCancellation(draft, over);
  else writeCompletion(draft, over, results);
}

/**
 * A discard or a ban ends the reign that it meets, also if it was taken back since. Until the news of it
 * came, whoever won would be measured by a top that was none any more.
 */
function awaitsEndOfReign({ value, topFellAtMs }: EndGround, nowMs: number): boolean {
  const stands = value.top !== null;
  return stands && topFellAtMs !== null && nowMs < topFellAtMs + newsMs;
}

/** All that follows from the fact, in the same commit. */
function writeCompletion(draft: Draft, race: RaceState, results: CompletedRace): void {
  const { raceId, suiteId, entrantIds } = race.context;
  writeRace(draft, race, results);
  draft.operation(
    'race_result',
    results.entrants.map((each) => resultRow(raceId, each)),
  );
  draft.operation(
    'race_elimination',
    results.entrants
      .filter(({ isEliminated }) => isEliminated)
      .map(({ agentVersionId }) => ({ race_id: raceId, agent_version_id: agentVersionId })),
  );
  draft.operation(
    'race_emission',
    results.emission.map((part) => ({
      race_id: raceId,
      position: part.position,
      seat: part.seat,
      agent_version_id: part.agentVersionId,
      miner_hotkey: part.minerHotkey,
      weight: part.weight,
      units: part.units,
    })),
  );
  settleTop(draft, race, results);
  const reason: RunCancelReason = 'RACE_COMPLETE';
  draft.tellEval('race-ended', entrantIds, { raceId, reason });
  openNextRace(draft, suiteId);
}

function writeRace(draft: Draft, { context }: RaceState, results: CompletedRace): void {
  const { raceId, suiteId, raceNumber, releasedAt, promotedId } = context;
  const { winner, anchor, std, margin, challengedScore, entrants } = results;
  if (releasedAt === null) throw new Error(`race ${raceId} is complete and never released`);
  const scoredCount = entrants.filter(({ rank }) => rank !== null).length;
  draft.operation('race_completed', [
    {
      race_id: raceId,
      completed_at: instant(draft.nowMs),
      released_at: instant(releasedAt),
      scored_count: scoredCount,
      winner_agent_version_id: winner.agentVersionId,
      winner_score: winner.score,
      top50_mean: anchor,
      top50_std: std,
      margin,
      challenged_score: challengedScore,
      promoted_agent_version_id: promotedId,
    },
  ]);
  // As in the public history of races; who else raced how stays sealed until the release.
  draft.publish('race-completed', raceId, {
    ...{ raceId, suiteId, raceNumber, scoredCount, releasedAt },
    winnerAgentVersionId: winner.agentVersionId,
    winnerScore: winner.score,
    promotedAgentVersionId: promotedId,
  });
}

/** A top that raced is measured by what it has just shown, also when that is beaten and it makes room. */
function settleTop(draft: Draft, { context }: RaceState, results: CompletedRace): void {
  const { raceId, suiteId } = context;
  const { top, challengedScore } = results;
  const { agentVersionId, minerHotkey, score } = top;
  if (top.kind === 'kept') {
    draft.operation('top_kept', [{ agent_version_id: agentVersionId, score }]);
    return;
  }
  // Written before the crown passes on.
  if (top.endsReignOf !== null) {
    const shown = { agent_version_id: top.endsReignOf, score: challengedScore };
    draft.operation('top_kept', [shown]);
  }
  draft.settleReign();
  draft.operation('top_crowned', [
    {
      top_id: draft.derivedId(`top:${raceId}`),
      suite_id: suiteId,
      agent_version_id: agentVersionId,
      miner_hotkey: minerHotkey,
      race_id: raceId,
      score,
      top_at: instant(draft.nowMs),
    },
  ]);
  draft.publish('top-changed', raceId, { suiteId, raceId, agentVersionId, minerHotkey, score });
}

function resultRow(raceId: string, each: EntrantResult) {
  return {
    race_id: raceId,
    agent_version_id: each.agentVersionId,
    race_score: each.rawScore,
    score_low: each.scoreLow,
    score_high: each.scoreHigh,
    weighted_score: each.weightedScore,
    race_rank: each.rank,
    score_window: each.window?.map(slotRow) ?? null,
    is_eliminated: each.isEliminated,
    unfinished_reason: each.unfinishedReason,
  };
}

function slotRow({ raceId, raceNumber, rawScore, anchor, delta, isSeed }: WindowSlot) {
  return {
    race_id: raceId,
    race_number: raceNumber,
    raw_score: rawScore,
    anchor,
    delta,
    is_seed: isSeed,
  };
}
