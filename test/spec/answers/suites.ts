import { z } from 'zod';
import { executionKind, integer, json, sha256, text, uuid } from './atoms.ts';

// Specification, Suite and Suite with problems.

export const environment = z.strictObject({
  display_name: text,
  environment_revision: text,
  catalog_epoch: text,
  contract_version: text,
  runtime_version: text,
  result_schema_version: text,
});

export const suite = z.strictObject({
  suite_id: integer,
  suite_version: integer,
  is_active: z.boolean(),
  execution_kind: executionKind,
  environment,
  env_pack_sha256: sha256.nullable(),
  benchmark_name: text,
  benchmark_number: integer,
});

export const qualifyingTasks = z.array(
  z.strictObject({ task_id: text, family: text, goal_text: text }),
);

export const suiteProblems = z.strictObject({
  suite,
  problems: z.array(z.strictObject({ problem_id: uuid, suite_id: integer, metadata: json })),
  qualifying_tasks: qualifyingTasks,
});
