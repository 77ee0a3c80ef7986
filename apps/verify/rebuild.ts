import { tallyOf } from '../../machines/evaluation-run/results.ts';
import type { RaceBundle } from '../../machines/race/bundle.ts';
import { completeRace, type RaceResults } from '../../machines/race/complete-race.ts';
import type { EntrantWork, RaceInputs, RaceRun } from '../../machines/race/field.ts';
import { faultOfResults } from '../../machines/scoring/fault-attribution.ts';
import { runScoreMicro } from '../../machines/scoring/run-score.ts';

type Run = RaceBundle['runs'][number];
type Entrant = RaceBundle['entrants'][number];

/** A run's score from its task rewards; null where the validator's word is all there is. */
export function rebuiltRunScore(run: Run, race: RaceBundle): number | null {
  if (race.race.execution_kind !== 'envpack' || run.status !== 'SUCCESS') return run.score_micro;
  const paid = run.episode_results.filter(({ verdict_correct }) => verdict_correct);
  const sumMicro = paid.reduce((sum, { reward_micro }) => sum + (reward_micro ?? 0), 0);
  return runScoreMicro(sumMicro, race.tasks.length);
}

/** Which share of broken tasks is the platform's fault, the bundle does not say: here, none is. */
export function integrityFault(run: Run, rosterSize: number): 'INTEGRITY' | null {
  const tally = tallyOf(
    run.episode_results.map((each) => ({
      outcome: each.outcome,
      verdictCorrect: each.verdict_correct,
      rewardMicro: each.reward_micro,
    })),
  );
  const fault = faultOfResults({ tally, rosterSize, platformFaultShareMicro: 1_000_000 });
  return fault === 'INTEGRITY' ? fault : null;
}

/** The race once more, from task rewards to emission units, by the rules that it was opened under. */
export function rebuiltRace(bundle: RaceBundle): RaceResults {
  return completeRace(inputsOf(bundle), bundle.race.policy, bundle.race.completed_at);
}

/** What the end of the race depended on, by the bundle. */
export function inputsOf(bundle: RaceBundle): RaceInputs {
  const runs = Map.groupBy(bundle.runs, ({ agent_version_id }) => agent_version_id);
  const { race, top_before: top } = bundle;
  return {
    raceId: race.race_id,
    raceNumber: race.race_number,
    entrants: bundle.entrants.map((entrant) =>
      workOf(
        entrant,
        (runs.get(entrant.agent_version_id) ?? []).map((run) => runOf(run, bundle)),
      ),
    ),
    window: bundle.window.map((past) => ({
      raceId: past.race_id,
      raceNumber: past.race_number,
      anchor: past.anchor,
      rawScores: past.raw_scores,
    })),
    top: top && {
      agentVersionId: top.agent_version_id,
      minerHotkey: top.miner_hotkey,
      score: top.score,
      topAt: top.top_at,
    },
  };
}

/** Whether a version was discarded or its miner banned is a fact of the moment, like the runs. */
function workOf(entrant: Entrant, runs: readonly RaceRun[]): EntrantWork {
  return {
    agentVersionId: entrant.agent_version_id,
    minerHotkey: entrant.miner_hotkey,
    isDiscarded: entrant.unfinished_reason === 'DISCARDED',
    isMinerBanned: entrant.unfinished_reason === 'BANNED',
    runs,
  };
}

function runOf(run: Run, bundle: RaceBundle): RaceRun {
  return {
    evalRunId: run.eval_run_id,
    validatorHotkey: run.validator_hotkey,
    status: run.status,
    isIncluded: run.is_included,
    scoreMicro: rebuiltRunScore(run, bundle),
    faultClass: run.failure_class,
  };
}
