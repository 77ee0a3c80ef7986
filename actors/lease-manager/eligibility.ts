import type { Draft } from './draft.ts';

export function eligibleAt(draft: Draft, agentVersionId: string): number | null {
  return draft.aggregate(agentVersionId)?.version.state.context.eligibleAt ?? null;
}

export function publishEligible(draft: Draft, agentVersionId: string): void {
  const context = draft.aggregate(agentVersionId)?.version.state.context;
  if (context === undefined) return;
  const { agentName, minerHotkey, suiteId, scores } = context;
  const qualifyingScore = scores.mean;
  draft.publish('version-eligible', {
    agentVersionId,
    agentName,
    minerHotkey,
    suiteId,
    qualifyingScore,
  });
}
