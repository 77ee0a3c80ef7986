import { z } from 'zod';
import { uuid } from './uuid.ts';

export const artifactTypes = [
  'AGENT_CODE',
  'EVAL_LOGS_BUNDLE',
  'EVAL_PROBLEM_LOGS',
  'EPISODE',
] as const;
export type ArtifactType = (typeof artifactTypes)[number];

/** Which artifact is meant; the type says which of the ids it needs. */
export const artifactRequest = z.object({
  // Any text, however long: an unknown one has a code of its own.
  artifact_type: z.string().meta({ override: { type: 'string', enum: [...artifactTypes] } }),
  agent_version_id: uuid.nullable().optional(),
  eval_run_id: uuid.nullable().optional(),
  problem_id: uuid.nullable().optional(),
  episode_result_id: uuid.nullable().optional(),
});
export type ArtifactRequest = z.infer<typeof artifactRequest>;
