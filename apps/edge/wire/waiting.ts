import { z } from 'zod';
import { phases } from '../../../machines/types.ts';
import { expectedFinish, expectedStart, obstacleOf } from '../expected-start.ts';
import type { Throughput, WaitingRow } from '../reads/waiting.ts';
import { instant } from './instant.ts';
import { reasonField } from './reason-field.ts';

export const waiting = z.object({
  phase: z.enum(phases).nullable(),
  position: z.number().int().nullable(),
  reason: reasonField('waiting.reason', 'Why it is where it is', 'or a sentence'),
  expected_start_at: instant.nullable(),
  expected_finish_at: instant.nullable(),
});

const nothing = {
  phase: null,
  position: null,
  reason: null,
  expected_start_at: null,
  expected_finish_at: null,
};

/** One sentence of why work is where it is; the first cause that applies. */
function reasonOf(row: WaitingRow, throughput: Throughput): string {
  if (row.holdReason !== null) return row.holdReason;
  if (row.runsNeeded <= 0) return 'Its runs are in progress.';
  if (throughput.activeValidators === 0) return 'No validator was seen in the last five minutes.';
  const obstacle = obstacleOf(row, throughput);
  if (obstacle !== null) return obstacle;
  if (row.itemsAhead === 1) return '1 work item is handed out before it.';
  if (row.itemsAhead > 0) return `${row.itemsAhead} work items are handed out before it.`;
  return 'It is next: a validator that may evaluate it has to become free.';
}

/** Where a version's work stands and when it is likely to go on; all null when nothing is open. */
export function toWaiting(
  row: WaitingRow | undefined,
  throughput: Throughput,
): z.infer<typeof waiting> {
  if (row === undefined) return nothing;
  const isQueued = row.runsNeeded > 0;
  // What all had in vain comes behind work that is counted behind it here.
  const isOutOfTurn = row.ableValidators > 0 && !row.isUntried;
  return {
    phase: row.phase,
    position: isQueued && !isOutOfTurn ? row.itemsAhead + 1 : null,
    reason: reasonOf(row, throughput),
    expected_start_at: isQueued ? expectedStart(row, throughput) : null,
    expected_finish_at: expectedFinish(row, throughput),
  };
}
