import { z } from 'zod';
import type { EpisodeRow, ProgressRow } from '../reads/runs.ts';
import type { SuiteProblemRow, SuiteRow } from '../reads/suites.ts';
import { formatInstant, formatInstantOrNull, instant } from './instant.ts';
import type { PublicRun } from './public-run.ts';
import { scoreOfMicro, scoreOut } from './score.ts';
import { environment, toEnvironment } from './suite.ts';
import { uuidOut } from './uuid.ts';

export const resultIdentity = z.object({
  eval_run_id: uuidOut,
  agent_version_id: uuidOut,
  suite_id: z.number().int(),
  validator_hotkey: z.string(),
  status: z.string(),
  completed_at: instant.nullable(),
  score: scoreOut.nullable(),
  execution_kind: z.string(),
  env_pack_sha256: z.string().nullable(),
  environment,
  detail_released: z.boolean(),
});

export const resultItem = z.object({
  item_id: z.string(),
  item_kind: z.enum(['legacy_problem', 'episode']),
  family: z.string().nullable(),
  status: z.string(),
  score: scoreOut.nullable(),
  verdict_status: z.enum(['passed', 'failed', 'unknown']),
  paid_reward: scoreOut.nullable(),
  check_summary: z.object({
    passed: z.number().int(),
    failed: z.number().int(),
    unknown: z.number().int(),
  }),
  reward_summary: z.object({ component_count: z.number().int() }),
  step_count: z.number().int().nullable(),
  eval_run_id: uuidOut,
  validator_hotkey: z.string(),
  episode_result_id: uuidOut.nullable(),
});

export const resultItems = z.object({
  eval_run_id: uuidOut,
  execution_kind: z.string(),
  detail_released: z.boolean(),
  expected_item_count: z.number().int(),
  persisted_item_count: z.number().int(),
  items: z.array(resultItem),
});

export const generatedResult = z
  .object({ identity: resultIdentity, items: resultItems })
  .meta({ id: 'GeneratedResult' });

export const problemResult = z.object({
  eval_run_id: uuidOut,
  validator_hotkey: z.string(),
  status: z.string(),
  score: scoreOut.nullable(),
  score_components: z.record(z.string(), z.unknown()).nullable(),
  reasoning_score: z.number().nullable(),
  updated_at: instant,
  inference_failure_count: z.number().int().nullable(),
  inference_total: z.number().int().nullable(),
  execution_time: z.number().nullable(),
});

function toIdentity(run: PublicRun, suite: SuiteRow): z.infer<typeof resultIdentity> {
  return {
    eval_run_id: run.evalRunId,
    agent_version_id: run.agentVersionId,
    suite_id: run.suiteId,
    validator_hotkey: run.validatorHotkey,
    status: run.status,
    completed_at: formatInstantOrNull(run.completedAt),
    score: scoreOfMicro(run.scoreMicro),
    execution_kind: run.executionKind,
    env_pack_sha256: run.envPackSha256,
    environment: toEnvironment(suite.environment),
    detail_released: run.isReleased,
  };
}

/** A verdict is unknown where the episode never reached one: the environment or verifier failed. */
function verdictStatus(episode: EpisodeRow): 'passed' | 'failed' | 'unknown' {
  if (episode.outcome === 'environment_error' || episode.outcome === 'verifier_error') {
    return 'unknown';
  }
  return episode.verdictCorrect ? 'passed' : 'failed';
}

function episodeItem(run: PublicRun, episode: EpisodeRow): z.infer<typeof resultItem> {
  const { checksPassed: passed, checksFailed: failed, checksUnknown: unknown } = episode;
  const paid = episode.verdictCorrect ? scoreOfMicro(episode.rewardMicro ?? 0) : 0;
  return {
    item_id: episode.taskId,
    item_kind: 'episode',
    family: episode.family,
    status: episode.outcome,
    score: paid,
    verdict_status: verdictStatus(episode),
    paid_reward: paid,
    check_summary: { passed, failed, unknown },
    reward_summary: { component_count: episode.componentCount },
    step_count: episode.stepCount,
    eval_run_id: run.evalRunId,
    validator_hotkey: run.validatorHotkey,
    episode_result_id: episode.episodeResultId,
  };
}

function problemItem(
  run: PublicRun,
  progress: ProgressRow,
  problem: SuiteProblemRow | undefined,
): z.infer<typeof resultItem> {
  const verdicts = { SUCCESS: 'passed', FAILED: 'failed', TIMED_OUT: 'failed' } as const;
  return {
    item_id: progress.problemId,
    item_kind: 'legacy_problem',
    family: problem?.category ?? null,
    status: progress.status,
    score: scoreOfMicro(progress.scoreMicro),
    verdict_status: verdicts[progress.status as keyof typeof verdicts] ?? 'unknown',
    paid_reward: scoreOfMicro(progress.scoreMicro),
    check_summary: { passed: 0, failed: 0, unknown: 0 },
    reward_summary: { component_count: Object.keys(progress.scoreComponents ?? {}).length },
    step_count: null,
    eval_run_id: run.evalRunId,
    validator_hotkey: run.validatorHotkey,
    episode_result_id: null,
  };
}

export interface RunResults {
  readonly suite: SuiteRow;
  readonly problems: ReadonlyMap<string, SuiteProblemRow>;
  readonly episodes: readonly EpisodeRow[];
  readonly progress: readonly ProgressRow[];
}

/** One run's results as both variants of the contract share them: identity and items. */
export function toGeneratedResult(
  run: PublicRun,
  from: RunResults,
): z.infer<typeof generatedResult> {
  return {
    identity: toIdentity(run, from.suite),
    items: {
      eval_run_id: run.evalRunId,
      execution_kind: run.executionKind,
      detail_released: run.isReleased,
      expected_item_count: run.expectedItems,
      persisted_item_count: run.storedItems,
      items: run.isReleased ? itemsOf(run, from) : [],
    },
  };
}

function itemsOf(run: PublicRun, from: RunResults): z.infer<typeof resultItem>[] {
  if (run.executionKind === 'envpack') {
    return from.episodes
      .filter((episode) => episode.evalRunId === run.evalRunId)
      .map((episode) => episodeItem(run, episode));
  }
  return from.progress
    .filter((row) => row.evalRunId === run.evalRunId)
    .map((row) => problemItem(run, row, from.problems.get(row.problemId)));
}

export function toProblemResult(run: PublicRun, row: ProgressRow): z.infer<typeof problemResult> {
  return {
    eval_run_id: run.evalRunId,
    validator_hotkey: run.validatorHotkey,
    status: row.status,
    score: scoreOfMicro(row.scoreMicro),
    score_components: row.scoreComponents,
    reasoning_score: row.reasoningScore,
    updated_at: formatInstant(row.updatedAt),
    inference_failure_count: row.inferenceFailureCount,
    inference_total: row.inferenceTotal,
    execution_time: row.executionTime,
  };
}
