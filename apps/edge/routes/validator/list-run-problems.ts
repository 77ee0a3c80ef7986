import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { problemsOfRun } from '../../reads/run-problems.ts';
import type { SuiteProblemRow } from '../../reads/suites.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

/** An envpack item names its task; the public goal is there where the task is public. */
function toMetadata(row: SuiteProblemRow): Record<string, unknown> {
  const task =
    row.taskId === null
      ? {}
      : { task_id: row.taskId, family: row.family, goal_text: row.goalText ?? undefined };
  const embeddings = row.embeddings === null ? {} : { reward_title_embeddings: row.embeddings };
  return { ...row.metadata, ...embeddings, ...task };
}

export const listRunProblems = endpoint({
  method: 'get',
  path: '/v1/validator/evaluation-runs/{eval_run_id}/problems',
  role: 'validator',
  owner: 'run',
  summary: "What the caller's run has to work on, in roster order",
  trafficClass: 1,
  params: z.object({ eval_run_id: uuid }),
  response: z.object({
    problems: z.array(
      z.object({ problem_id: uuidOut, metadata: z.record(z.string(), z.unknown()) }),
    ),
  }),
  faults: ['EVAL_RUN_NOT_FOUND', 'NOT_RUN_OWNER'],

  async handle({ caller, params }, { sql }) {
    const found = await problemsOfRun(sql, params.eval_run_id);
    if (found === undefined) throw refusal('EVAL_RUN_NOT_FOUND');
    if (found.validatorHotkey !== caller.name) {
      throw refusal('NOT_RUN_OWNER', {
        says: 'This run is of another validator.',
        next: 'Ask for a run that you have claimed.',
      });
    }
    return {
      problems: found.problems.map((row) => ({
        problem_id: row.problemId,
        metadata: toMetadata(row),
      })),
    };
  },
});
