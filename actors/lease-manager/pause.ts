import { hadInVain, type WorkState } from '../../machines/work-item/machine.ts';
import { callsForPause, pauseMs } from '../../machines/work-item/pause.ts';
import type { Draft } from './draft.ts';

/** Whether this work is kept from this validator for its runs of it that came to nothing. */
export function isPaused(draft: Draft, { context }: WorkState, validatorHotkey: string): boolean {
  if (hadInVain(context).length === 0) return false;
  const { agentVersionId, workItemId } = context;
  let count = 0;
  let lastMs = 0;
  for (const { state } of draft.aggregate(agentVersionId)?.runs.values() ?? []) {
    const run = state.context;
    if (run.workItemId !== workItemId || run.validatorHotkey !== validatorHotkey) continue;
    if (!callsForPause(state)) continue;
    count += 1;
    lastMs = Math.max(lastMs, run.endedAt ?? 0);
  }
  return lastMs + pauseMs(count, context) > draft.nowMs;
}
