import { z } from 'zod';
import type { SuiteProblemRow } from '../reads/suites.ts';

export const publicTask = z.object({
  task_id: z.string(),
  family: z.string(),
  goal_text: z.string(),
});

/** A pack's public tasks; a legacy suite has problems instead. */
export function toPublicTasks(rows: readonly SuiteProblemRow[]): z.infer<typeof publicTask>[] {
  return rows.flatMap(({ taskId, family, goalText }) =>
    taskId === null ? [] : [{ task_id: taskId, family: family ?? '', goal_text: goalText ?? '' }],
  );
}
