import { z } from 'zod';
import { instant, integer, phase, runStatus, text, uuid, validatorStatus } from './atoms.ts';

// Contract 5: validators, running and pending evaluations.

export const validators = z.array(
  z.strictObject({
    validator_hotkey: text,
    validator_name: text.nullable(),
    status: validatorStatus,
    last_seen_at: instant.nullable(),
    uid: integer.nullable(),
    stake: z.number().nullable(),
    current_runs: integer,
    completed_24h: integer,
    stale_24h: integer,
    service_versions: z.record(text, text),
    cpu_pct: z.number().nullable(),
    ram_pct: z.number().nullable(),
    disk_pct: z.number().nullable(),
    docker_container_count: integer.nullable(),
  }),
);

export const running = z.array(
  z.strictObject({
    eval_run_id: uuid,
    agent_version_id: uuid,
    agent_name: text,
    version_number: integer,
    miner_hotkey: text,
    validator_hotkey: text,
    suite_id: integer,
    phase,
    race_id: uuid.nullable(),
    status: runStatus,
    started_at: instant,
    lease_expires_at: instant,
    progress: z.strictObject({ done: integer, total: integer }),
  }),
);

export const pending = z.strictObject({
  items: z.array(
    z.strictObject({
      agent_version_id: uuid,
      agent_name: text,
      version_number: integer,
      miner_hotkey: text,
      queued_at: instant,
      phase,
      race_id: uuid.nullable(),
      completed_successes: integer,
      required_successes: integer,
      position: integer,
      expected_start_at: instant.nullable(),
      blocked_reason: text.nullable(),
    }),
  ),
  summary: z.strictObject({
    total_pending: integer,
    total_runs_needed: integer,
    total_runs_active: integer,
  }),
  total: integer,
  limit: integer,
  offset: integer,
});
