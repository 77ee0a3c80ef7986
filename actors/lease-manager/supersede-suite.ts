import type { VersionState } from '../../machines/agent-version/machine.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { cancelItem, cancelWork } from './end-run.ts';
import { endJudging } from './rejudge-runs.ts';

/**
 * Versions of another suite that were not yet eligible never will be, and nobody evaluates the others
 * for their score any more; race work is the race's.
 */
export function supersedeSuites(draft: Draft, activeSuiteId: number): Answer {
  const { orders } = draft.state;
  // Late news: another suite is active by now, whose versions must not fall to this one.
  if (orders !== undefined && orders.activeSuiteId !== activeSuiteId) return accepted({});
  for (const versionId of new Set([...draft.state.openItems.entries()].map(([, id]) => id))) {
    const version = draft.aggregate(versionId)?.version.state;
    if (version === undefined || version.context.suiteId === activeSuiteId) continue;
    endJudging(draft, versionId, 'SUITE_SUPERSEDED');
    if (version.value === 'eligible') supersedeWork(draft, versionId);
    else supersedeVersion(draft, version);
  }
  return accepted({});
}

function supersedeWork(draft: Draft, versionId: string): void {
  for (const { state } of [...(draft.aggregate(versionId)?.items.values() ?? [])]) {
    if (state.context.phase === 'QUALIFYING') cancelItem(draft, state, 'SUITE_SUPERSEDED');
  }
}

/** For work that has just opened again: a switch of the suite is told to open work only. */
export function followSuite(draft: Draft, versionId: string, workItemId: string): void {
  const item = draft.item(versionId, workItemId);
  const { phase, suiteId } = item.context;
  const activeSuiteId = draft.state.orders?.activeSuiteId ?? suiteId;
  if (phase === 'RACE' || activeSuiteId === suiteId) return;
  cancelItem(draft, item, 'SUITE_SUPERSEDED');
}

export function supersedeVersion(draft: Draft, { context }: VersionState): void {
  const { agentVersionId, agentName, minerHotkey, suiteId } = context;
  cancelWork(draft, agentVersionId, 'SUITE_SUPERSEDED');
  draft.recordVersion(agentVersionId, [
    { type: 'VERSION_CANCELLED', at: draft.nowMs, reason: 'SUITE_SUPERSEDED' },
  ]);
  draft.publish('version-cancelled', { agentVersionId, agentName, minerHotkey, suiteId });
}
