import { z } from 'zod';
import {
  admission,
  admissionReason,
  instant,
  integer,
  pinReason,
  score,
  text,
  uuid,
  versionState,
} from './atoms.ts';

// Specification, Miner agent listing and Submission result; contract 4, race selection.

export const minerVersion = z.strictObject({
  eliminated_at: instant.nullable(),
  eliminated_in_race_number: integer.nullable(),
  agent_version_id: uuid,
  version_number: integer,
  submitted_at: instant,
  state: versionState,
  final_score: score.nullable(),
  is_selected_for_race: z.boolean(),
  selection_fallback_reason: pinReason.nullable(),
  is_pinnable: z.boolean(),
  pin_disabled_reason: pinReason.nullable(),
});
export const minerVersions = z.array(minerVersion);

export const minerAgents = z.strictObject({
  agents: z.array(
    z.strictObject({
      agent_id: uuid,
      miner_hotkey: text,
      agent_name: text,
      created_at: instant,
      latest_version: minerVersion,
    }),
  ),
  can_submit: z.boolean(),
  next_allowed_at: instant.nullable(),
  racing_agent_version_id: uuid.nullable(),
  racing_agent_id: uuid.nullable(),
});

export const submission = z.strictObject({
  agent_id: uuid,
  agent_version_id: uuid,
  admission_status: admission,
  admission_reason: admissionReason.nullable(),
  next_allowed_at: instant,
  hotkey: text,
  message: text,
});

export const submissionCheck = z.strictObject({
  ok: z.boolean(),
  violations: z.array(
    z.strictObject({
      rule: text,
      category: text,
      severity: text,
      message: text,
      line: integer.min(1),
      column: integer.min(1),
      snippet: text,
    }),
  ),
});

export const raceSelection = z.strictObject({
  racing_agent_version_id: uuid.nullable(),
  racing_agent_id: uuid.nullable(),
});
