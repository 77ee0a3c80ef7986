import type { VersionState } from '../../machines/agent-version/machine.ts';
import { type Answer, accepted } from './answer.ts';
import type { Draft } from './draft.ts';
import { cancelWork } from './end-run.ts';
import { isOfFormerSuite } from './former-suite.ts';
import { endJudging } from './rejudge-runs.ts';

/**
 * Versions of another suite that were not yet eligible never will be; race work is the race's. The same
 * of this suite's own, of before another one was active for a while: where that news was late, it found
 * nothing to do any more.
 */
export function supersedeSuites(draft: Draft, activeSuiteId: number): Answer {
  const { orders } = draft.state;
  // Late news: another suite is active by now, whose versions must not fall to this one.
  if (orders !== undefined && orders.activeSuiteId !== activeSuiteId) return accepted({});
  for (const versionId of new Set([...draft.state.openItems.entries()].map(([, id]) => id))) {
    const version = draft.aggregate(versionId)?.version.state;
    if (version === undefined) continue;
    const { suiteId, submittedAt } = version.context;
    const isSuperseded = (atMs: number) => isOfFormerSuite(draft, activeSuiteId, { suiteId, atMs });
    endJudging(draft, versionId, isSuperseded);
    if (version.value !== 'eligible' && isSuperseded(submittedAt)) supersedeVersion(draft, version);
  }
  return accepted({});
}

export function supersedeVersion(draft: Draft, { context }: VersionState): void {
  const { agentVersionId } = context;
  cancelWork(draft, agentVersionId, 'SUITE_SUPERSEDED');
  draft.recordVersion(agentVersionId, [
    { type: 'VERSION_CANCELLED', at: draft.nowMs, reason: 'SUITE_SUPERSEDED' },
  ]);
}
