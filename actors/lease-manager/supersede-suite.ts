import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { cancelWork } from './end-run.ts';

/** Versions of another suite that were not yet eligible never will be; race work is the race's. */
export function supersedeSuites(draft: Draft, activeSuiteId: number): Answer {
  const { orders } = draft.state;
  // Late news: another suite is active by now, whose versions must not fall to this one.
  if (orders !== undefined && orders.activeSuiteId !== activeSuiteId) return accepted({});
  for (const versionId of new Set([...draft.state.openItems.entries()].map(([, id]) => id))) {
    const version = draft.aggregate(versionId)?.version.state;
    if (version === undefined || version.context.suiteId === activeSuiteId) continue;
    if (version.value === 'eligible') continue;
    cancelWork(draft, versionId, 'SUITE_SUPERSEDED');
    draft.recordVersion(versionId, [
      { type: 'VERSION_CANCELLED', at: draft.nowMs, reason: 'SUITE_SUPERSEDED' },
    ]);
    const { agentName, minerHotkey, suiteId } = version.context;
    draft.publish('version-cancelled', {
      agentVersionId: versionId,
      agentName,
      minerHotkey,
      suiteId,
    });
  }
  return accepted({});
}
