import { isLive, type RunState } from '../../machines/evaluation-run/machine.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { cancelLiveRuns, endRun } from './end-run.ts';
import { excludeRun } from './exclude-run.ts';
import { setMinerBan } from './miner-ban.ts';
import { isBanned } from './validator-ban.ts';

/**
 * A banned validator loses its live runs and its say in work that is still open and in races that
 * still run; a banned miner's work waits, and those who are at it are let go: their runs are cancelled,
 * and with them what they may spend of the miner's. What is over stands: a later ban does not rewrite it.
 */
export function banHotkey(draft: Draft, hotkey: string): Answer {
  const { orders } = draft.state;
  if (orders !== undefined && !orders.bannedHotkeys.has(hotkey)) return accepted({});
  for (const [, { runs }] of [...draft.state.aggregates.entries()]) {
    for (const { state: run } of runs.values()) {
      if (run.context.validatorHotkey === hotkey) silenceRun(draft, run);
    }
  }
  holdWorkOf(draft, hotkey, true);
  return accepted({});
}

export function unbanHotkey(draft: Draft, hotkey: string): Answer {
  if (isBanned(draft, hotkey)) return accepted({});
  holdWorkOf(draft, hotkey, false);
  return accepted({});
}

function silenceRun(draft: Draft, run: RunState): void {
  const { agentVersionId, workItemId, raceId, isIncluded } = run.context;
  if (isLive(run)) {
    const cancelled = { type: 'CANCELLED', at: draft.nowMs, reason: 'VALIDATOR_BANNED' } as const;
    endRun(draft, run.context, cancelled, { isTrouble: false });
    return;
  }
  const isOpen = draft.item(agentVersionId, workItemId).value === 'open';
  const counts = raceId === null ? isOpen : !draft.state.isRaceOver(run.context);
  if (isIncluded && counts) excludeRun(draft, run, 'VALIDATOR_BANNED');
}

function holdWorkOf(draft: Draft, hotkey: string, isBanned: boolean): void {
  for (const [workItemId, versionId] of [...draft.state.openItems.entries()]) {
    const { value, context } = draft.item(versionId, workItemId);
    if (value !== 'open' || context.minerHotkey !== hotkey) continue;
    setMinerBan(draft, { versionId, workItemId, isBanned });
    if (isBanned) cancelLiveRuns(draft, draft.item(versionId, workItemId), 'MINER_BANNED');
  }
}
