import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { inputsOf } from '../../apps/verify/rebuild.ts';
import type { Manifest } from '../../apps/verify/sealed-bundle.ts';
import type { Ed25519Signer } from '../../infra/crypto/ed25519.ts';
import { canonicalJson } from '../../machines/canonical-json.ts';
import { bundleFormat, type RaceBundle } from '../../machines/race/bundle.ts';
import { completeRace } from '../../machines/race/complete-race.ts';
import type { QualificationType } from '../../machines/race/field.ts';
import { runScoreMicro } from '../../machines/scoring/run-score.ts';
import { trialId, trialPolicy } from './trial-races.ts';

export interface TrialBundle {
  readonly entrantCount?: number;
  readonly taskCount?: number;
  /** Hours ago: a top of that name, who raced if it is among the entrants. */
  readonly top?: { readonly name: string; readonly score: string };
}

const completedAt = Date.UTC(2026, 6, 8, 20);
const instants = {
  opened_at: completedAt - 90_000_000,
  qualifying_closes_at: completedAt - 3_600_000,
  closed_at: completedAt - 3_600_000,
  started_at: completedAt - 3_590_000,
  completed_at: completedAt,
};
const id = (name: string) => trialId(`bundle ${name}`);

/** An honest bundle of a race between versions named 0, 1, 2 …, better ones first. */
export function trialBundle(of: TrialBundle = {}): RaceBundle {
  const { entrantCount = 10, taskCount = 6 } = of;
  const names = Array.from({ length: entrantCount }, (_, index) => String(index));
  // The two weakest are new in the suite; whoever finished the race before is in without doing anything.
  const survivors = names.slice(0, -2);
  const tasks = Array.from({ length: taskCount }, (_, ordinal) => ({
    ...{ ordinal, problem_id: id(`task ${ordinal}`), family: 'search' },
    task_id: `task-${String(ordinal).padStart(3, '0')}`,
  }));
  const typeOf = (name: string): QualificationType => {
    if (name === of.top?.name) return 'INCUMBENT_TOP';
    return survivors.includes(name) ? 'SURVIVOR' : 'QUALIFIED';
  };
  const blank: RaceBundle = {
    format: bundleFormat,
    race: { ...blankRace(entrantCount), ...instants },
    tasks,
    entrants: names
      .map((name) => ({ ...blankEntrant(name), qualification_type: typeOf(name) }))
      .toSorted(byVersion),
    runs: names.flatMap((name, index) => runsOf(name, index / entrantCount, tasks)),
    emission: [],
    top_before: of.top
      ? {
          agent_version_id: id(of.top.name),
          miner_hotkey: `miner ${of.top.name}`,
          score: of.top.score,
          top_at: completedAt - 63_072_000,
        }
      : null,
    window: [pastRace(2, '0.4500', survivors), pastRace(1, '0.4600', names.slice(1))],
  };
  return recomputed(blank);
}

/** Bytes as the service would publish them. */
export function sealed(
  bundle: RaceBundle,
  signer: Ed25519Signer,
): { readonly bytes: Uint8Array; readonly seal: Manifest } {
  const bytes = gzipSync(canonicalJson(bundle));
  const hash = createHash('sha256').update(bytes).digest();
  const seal = {
    race_id: bundle.race.race_id,
    sha256: hash.toString('hex'),
    size_bytes: bytes.length,
    signature: signer.sign(hash),
    public_key: signer.publicKey,
  };
  return { bytes, seal };
}

function blankRace(entrantCount: number) {
  return {
    race_id: id('race'),
    suite_id: 1,
    race_number: 3,
    execution_kind: 'envpack' as const,
    policy: { ...trialPolicy, burnRateMicro: 10_000 },
    qualifier_count: entrantCount,
    scored_count: 0,
    winner_agent_version_id: null,
    winner_score: null,
    top50_mean: null,
    top50_std: null,
    margin: null,
    challenged_score: null,
    promoted_agent_version_id: null,
  };
}

function blankEntrant(name: string): RaceBundle['entrants'][number] {
  return {
    agent_version_id: id(name),
    agent_name: `agent ${name}`,
    version_number: 1,
    miner_hotkey: `miner ${name}`,
    qualification_type: 'QUALIFIED',
    qualifying_score: '0.6000',
    race_score: null,
    score_low: null,
    score_high: null,
    weighted_score: null,
    race_rank: null,
    score_window: null,
    is_eliminated: false,
    unfinished_reason: null,
  };
}

function runsOf(name: string, weakness: number, tasks: RaceBundle['tasks']): RaceBundle['runs'] {
  return [0, 1].map((validator) => {
    const results = tasks.map(({ ordinal, task_id }) => {
      const isCorrect = (ordinal + validator) % 4 !== 0;
      const reward = Math.round(900_000 * (1 - weakness)) - 1_234 * ordinal;
      return {
        task_id: task_id ?? '',
        outcome: 'completed' as const,
        verdict_correct: isCorrect,
        reward_micro: isCorrect ? Math.max(0, reward) : null,
      };
    });
    const sum = results.reduce((total, { reward_micro }) => total + (reward_micro ?? 0), 0);
    return {
      eval_run_id: id(`run ${name} ${validator}`),
      agent_version_id: id(name),
      validator_hotkey: `validator ${validator}`,
      status: 'SUCCESS',
      is_included: true,
      exclusion_reason: null,
      score_micro: runScoreMicro(sum, tasks.length),
      failure_class: null,
      episode_results: results,
      problem_results: [],
    };
  });
}

function pastRace(number: number, anchor: string, names: readonly string[]) {
  return {
    race_id: id(`race ${number}`),
    race_number: number,
    anchor,
    raw_scores: Object.fromEntries(names.map((name) => [id(name), anchor])),
  };
}

const byVersion = (left: { agent_version_id: string }, right: { agent_version_id: string }) =>
  left.agent_version_id < right.agent_version_id ? -1 : 1;

/** What follows from the rest, filled in: as an operator would who changed something. */
export function recomputed(bundle: RaceBundle): RaceBundle {
  const results = completeRace(inputsOf(bundle), bundle.race.policy, bundle.race.completed_at);
  if (results.kind !== 'complete') throw new Error('nobody finished');
  const computed = new Map(results.entrants.map((each) => [each.agentVersionId, each]));
  return {
    ...bundle,
    race: {
      ...bundle.race,
      scored_count: results.entrants.filter(({ rawScore }) => rawScore !== null).length,
      winner_agent_version_id: results.winner.agentVersionId,
      winner_score: results.winner.score,
      top50_mean: results.anchor,
      top50_std: results.std,
      margin: results.margin,
      challenged_score: results.challengedScore,
      promoted_agent_version_id:
        results.top.kind === 'promoted' ? results.top.agentVersionId : null,
    },
    entrants: bundle.entrants.map((entrant) => {
      const own = computed.get(entrant.agent_version_id);
      if (own === undefined) throw new Error('an entrant was lost');
      return {
        ...entrant,
        race_score: own.rawScore,
        score_low: own.scoreLow,
        score_high: own.scoreHigh,
        weighted_score: own.weightedScore,
        race_rank: own.rank,
        is_eliminated: own.isEliminated,
        unfinished_reason: own.unfinishedReason,
        score_window:
          own.window?.map((slot) => ({
            race_id: slot.raceId,
            race_number: slot.raceNumber,
            raw_score: slot.rawScore,
            anchor: slot.anchor,
            delta: slot.delta,
            is_seed: slot.isSeed,
          })) ?? null,
      };
    }),
    emission: results.emission.map((part) => ({
      position: part.position,
      seat: part.seat,
      agent_version_id: part.agentVersionId,
      miner_hotkey: part.minerHotkey,
      weight: part.weight,
      units: part.units,
    })),
  };
}
