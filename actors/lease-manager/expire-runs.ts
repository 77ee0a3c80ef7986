import type { RunState } from '../../machines/evaluation-run/machine.ts';
import { isLive } from '../../machines/evaluation-run/machine.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-run.ts';

/** Marks runs whose time is over. The command is advice: every deadline is looked at again. */
export function expireRuns(draft: Draft, evalRunIds: readonly string[]): Answer {
  let staleCount = 0;
  for (const evalRunId of evalRunIds) {
    const run = liveRun(draft, evalRunId);
    const reason = draft.state.deadlines.reasonOfEnd(evalRunId, draft.nowMs);
    if (run === undefined || reason === undefined) continue;
    const { validatorHotkey: hadInVain } = run.context;
    const staled = { type: 'STALED', at: draft.nowMs, reason } as const;
    endRun(draft, run.context, staled, { isTrouble: true, hadInVain });
    staleCount += 1;
  }
  return accepted({ staleCount });
}

function liveRun(draft: Draft, evalRunId: string): RunState | undefined {
  const versionId = draft.state.liveRuns.get(evalRunId);
  const run = versionId === undefined ? undefined : draft.run(versionId, evalRunId);
  return run !== undefined && isLive(run) ? run : undefined;
}
