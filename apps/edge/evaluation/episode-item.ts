import { z } from 'zod';
import type { episodeResult } from '../../../actors/lease-manager/messages.ts';
import { microOfDecimal } from '../../../machines/scoring/micro.ts';
import { episodeOutcomes } from '../../../machines/types.ts';
import { sha256Hex } from '../wire/hash.ts';
import { uuid } from '../wire/uuid.ts';

/**
 * A decimal of at most six places in [0, 1], as text or number; held as an integer of 10^-6.
 * Numbers that print with an exponent are below 10^-6 or above 1, so they are refused by their text.
 */
const reward = z.union([z.string(), z.number()]).transform((given, context) => {
  const micro = microOfReward(given);
  if (micro !== undefined) return micro;
  context.addIssue({
    code: 'custom',
    message: 'must be a decimal in [0, 1] with at most 6 places',
    input: given,
  });
  return z.NEVER;
});

export function microOfReward(given: number | string): number | undefined {
  return Object.is(given, -0) ? undefined : microOfDecimal(String(given));
}

export const verdicts = ['passed', 'failed', 'unknown'] as const;
export const nameLengthMax = 256;
export const uriLengthMax = 1024;
export const stepsMax = 2_147_483_647;

export const episodeItem = z.object({
  eval_run_id: uuid,
  env_pack_sha256: sha256Hex,
  task_id: z.string().min(1).max(nameLengthMax),
  family: z.string().min(1).max(nameLengthMax),
  outcome: z.enum(episodeOutcomes),
  verdict_correct: z.boolean(),
  verdict_checks: z.record(z.string().max(nameLengthMax), z.enum(verdicts)),
  reward_components: z.record(z.string().max(nameLengthMax), z.unknown()),
  aggregate_reward: reward.nullable().meta({
    description:
      'A decimal from 0 to 1 with at most six places, which a third as a number has not; null unless the verdict is correct',
  }),
  wall_seconds: z.number().min(0).nullable(),
  terminal_state_hash: sha256Hex.nullable().meta({
    description:
      'Null where the outcome is agent_error, environment_error or verifier_error, and only there',
  }),
  ledger_uri: z
    .string()
    .max(uriLengthMax)
    .nullable()
    .meta({ description: 'The artifact_uri of its trajectory; null where there is none' }),
  step_count: z.number().int().min(0).max(stepsMax),
});

export type EpisodeItem = z.infer<typeof episodeItem>;

/** The wire's item in the domain's words, for an owner of the version before. */
export function toEpisodeResult(item: EpisodeItem): z.infer<typeof episodeResult> {
  return {
    envPackSha256: item.env_pack_sha256,
    taskId: item.task_id,
    family: item.family,
    outcome: item.outcome,
    verdictCorrect: item.verdict_correct,
    verdictChecks: item.verdict_checks,
    rewardComponents: item.reward_components,
    rewardMicro: item.aggregate_reward,
    wallSeconds: item.wall_seconds,
    terminalStateHash: item.terminal_state_hash,
    ledgerUri: item.ledger_uri,
    stepCount: item.step_count,
  };
}
