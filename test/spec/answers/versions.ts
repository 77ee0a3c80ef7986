import { z } from 'zod';
import { instant, integer, phase, pinReason, score, text, uuid, versionState } from './atoms.ts';
import { suite } from './suites.ts';

// Contract 5: leaderboard and version status.

export const leaderboard = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  suite: suite.nullable(),
  entries: z.array(
    z.strictObject({
      rank: integer,
      agent_version_id: uuid,
      agent_name: text,
      miner_hotkey: text,
      version_number: integer,
      state: versionState,
      final_score: score.nullable(),
      qualifying_score: score.nullable(),
      race_score: score.nullable(),
      weighted_score: z.number().nullable(),
      score_low: score.nullable(),
      score_high: score.nullable(),
      eligible_at: instant,
      is_discarded: z.boolean(),
      is_miner_banned: z.boolean(),
      is_current_top: z.boolean(),
      was_top: z.boolean(),
      top_at: instant.nullable(),
      is_active_qualifier: z.boolean(),
      outranked_by_agent_version_id: uuid.nullable(),
      eliminated_at: instant.nullable(),
    }),
  ),
  unique_miners: integer,
  agents_submitted_24h: integer,
  challenge_threshold: z.number().nullable(),
});

export const versionStatus = z.strictObject({
  agent_version_id: uuid,
  agent_id: uuid,
  agent_name: text,
  miner_hotkey: text,
  version_number: integer,
  suite_id: integer,
  submitted_at: instant,
  state: versionState,
  qualifying_score: score.nullable(),
  final_score: score.nullable(),
  eligible_at: instant.nullable(),
  eliminated_at: instant.nullable(),
  eliminated_in_race_number: integer.nullable(),
  // Beyond the contract, as the leaderboard has it.
  is_miner_banned: z.boolean(),
  is_active_qualifier: z.boolean(),
  is_pinnable: z.boolean(),
  pin_disabled_reason: pinReason.nullable(),
  selection_fallback_reason: pinReason.nullable(),
  discard_reason: text.nullable(),
  included_success_count: integer,
  required_successes: integer,
  live_run_count: integer,
  failed_run_count: integer,
  stale_run_count: integer,
  consecutive_agent_failures: integer,
  waiting: z.strictObject({
    // Beyond the contract: of which work the rest is told.
    phase: phase.nullable(),
    position: integer.nullable(),
    reason: text.nullable(),
    expected_start_at: instant.nullable(),
    expected_finish_at: instant.nullable(),
  }),
  timeline: z.array(z.strictObject({ at: instant, event: text, detail: text.nullable() })),
});
