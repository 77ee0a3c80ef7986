import { z } from 'zod';
import { instant, integer, json, role, score, sha256, text, uuid } from './atoms.ts';

// What operators are answered: every field, and no other.

export const orderedVersion = z.strictObject({ agent_version_id: uuid, state: text });

export const orderedRun = z.strictObject({
  eval_run_id: uuid,
  status: text,
  is_included: z.boolean(),
  exclusion_reason: text.nullable(),
});

const values = z.strictObject({
  qualifying_threshold: score,
  margin_initial: score,
  margin_half_life_days: z.number(),
  margin_floor: score,
  emission_baseline_burn_rate: score,
  required_successes_qualifying: integer,
  required_successes_race: integer,
  elimination_share: score,
  race_tasks: integer,
  race_limit_seconds: integer,
  score_window_races: integer,
});

const overrides = z.strictObject({
  qualifying_threshold: score.nullable(),
  margin_initial: score.nullable(),
  margin_half_life_days: z.number().nullable(),
  margin_floor: score.nullable(),
  emission_baseline_burn_rate: score.nullable(),
  required_successes_qualifying: integer.nullable(),
  required_successes_race: integer.nullable(),
  elimination_share: score.nullable(),
  race_tasks: integer.nullable(),
  race_limit_seconds: integer.nullable(),
  score_window_races: integer.nullable(),
});

/** What qualifying takes stands in the race's suite. */
export const racePolicy = values.omit({ required_successes_qualifying: true });

export const policy = values.extend({
  policy_version: integer,
  overrides,
  current_race: racePolicy
    .extend({ race_id: uuid, race_number: integer, policy_version: integer })
    .nullable(),
  history: z.array(
    z.strictObject({
      policy_version: integer,
      changed_by: text,
      reason: text.nullable(),
      changed_at: instant,
      overrides,
    }),
  ),
});

export const overview = z.strictObject({
  active_suite_id: integer.nullable(),
  current_race: z
    .strictObject({
      race_id: uuid,
      race_number: integer,
      status: text,
      qualifying_closes_at: instant,
      deadline_at: instant.nullable(),
      work: z.strictObject({
        items: integer,
        open: integer,
        live_runs: integer,
        held: z.array(
          z.strictObject({ hold_reason: text, items: integer, next_ends_at: instant.nullable() }),
        ),
      }),
    })
    .nullable(),
  race_tasks: z
    .strictObject({ held_out: integer, unraced: integer, asked_for: integer })
    .nullable(),
  top: z
    .strictObject({ agent_version_id: uuid, miner_hotkey: text, score, top_at: instant })
    .nullable(),
  open_work_items: integer,
  live_runs: integer,
  waiting_versions: integer,
  banned_hotkeys: integer,
  validators_active: integer,
  outbox_pending: integer,
  outbox_oldest_at: instant.nullable(),
  outbox_may_be_more: z.boolean(),
  parked_messages: integer,
  partitions_without_owner: integer,
  stuck_records: integer,
  stuck_may_be_more: z.boolean(),
  inference: z.array(
    z.strictObject({
      provider: text,
      requests: integer,
      failures: integer,
      prompt_tokens: integer,
      completion_tokens: integer,
    }),
  ),
});

export const keptPack = z.strictObject({
  pack_sha256: sha256,
  size_bytes: integer,
  task_count: integer,
  family_counts: z.record(text, integer),
  contract_version: text,
  runtime_version: text,
  tool_contract_version: text,
  verifier_version: text,
  result_schema_version: text,
  catalog_epoch: text,
  catalog_sha256: text,
  search_index_epoch: text.nullable(),
  search_index_sha256: text.nullable(),
  display_name: text,
  environment_revision: text,
});

export const registration = z.strictObject({
  hotkey: text,
  uid: integer,
  role,
  stake: z.number(),
  coldkey: text.nullable(),
});

/** What the contract leaves to us: orders, and what an operator may look at. */
export const ban = z.strictObject({
  hotkey: text,
  banned: z.boolean(),
  reason: text,
  banned_at: instant,
});
export const unban = z.strictObject({
  hotkey: text,
  banned: z.boolean(),
  was_banned: z.boolean(),
});
export const unregistration = z.strictObject({ hotkey: text, removed: z.boolean() });
export const clock = z.strictObject({ clock: z.enum(['real', 'simulated']), now: instant });
export const clockAdvance = z.strictObject({ now: instant, advanced_seconds: integer });

export const auditLog = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  entries: z.array(
    z.strictObject({
      seq: integer,
      actor: text,
      action: text,
      object: text,
      reason: text.nullable(),
      detail: json,
      prev_hash: text,
      hash: text,
      committed_at: instant,
    }),
  ),
});

export const orderedMessage = z.strictObject({ msg_id: text, subject: text });
export const parkedMessages = z.strictObject({
  total: integer,
  limit: integer,
  offset: integer,
  parked_messages: z.array(
    z.strictObject({
      msg_id: text,
      subject: text,
      consumer: text.nullable(),
      error: text,
      body: text,
      is_body_cut: z.boolean(),
      parked_at: instant,
      can_be_resent: z.boolean(),
    }),
  ),
});

const milliseconds = z.number().min(0);
const summary = {
  trace_id: text,
  name: text,
  outcome: z.enum(['done', 'refused', 'failed']),
  status: integer.nullable(),
  fault: text.nullable(),
  started_at: instant,
  duration_ms: milliseconds,
  span_count: integer,
  processes: z.array(text),
};
export const traces = z.strictObject({
  is_kept: z.boolean(),
  sent_to: text.nullable(),
  total: integer,
  limit: integer,
  offset: integer,
  traces: z.array(z.strictObject(summary)),
});
export const trace = z.strictObject({
  ...summary,
  dropped_spans: integer,
  spans: z.array(
    z.strictObject({
      span_id: text,
      parent_span_id: text.nullable(),
      trace_id: text,
      name: text,
      kind: z.enum(['internal', 'server', 'client', 'producer', 'consumer']),
      process: text,
      offset_ms: milliseconds,
      duration_ms: milliseconds,
      is_error: z.boolean(),
      attributes: z.record(text, text),
    }),
  ),
});

export const credentialKeys = z.strictObject({
  keys: z.array(
    z.strictObject({
      key_id: text,
      is_known: z.boolean(),
      is_sealing: z.boolean(),
      text_count: integer,
      texts: z.record(z.string(), integer),
      first_sealed_at: instant.nullable(),
      last_sealed_at: instant.nullable(),
      last_seen_at: instant.nullable(),
      can_be_removed: z.boolean(),
    }),
  ),
});

export const partitions = z.strictObject({
  partitions: z.array(
    z.strictObject({
      kind: text,
      part: integer,
      epoch: integer,
      owner: text.nullable(),
      is_owner_live: z.boolean(),
    }),
  ),
  members: z.array(
    z.strictObject({
      member_id: text,
      is_live: z.boolean(),
      is_draining: z.boolean(),
      joined_at: instant,
      partition_count: integer,
    }),
  ),
});
