import type { z } from 'zod';
import { decideReinstatement } from '../../machines/agent-version/decide.ts';
import { type VersionState, versionStatus } from '../../machines/agent-version/machine.ts';
import { asTold } from '../../machines/reasons/codes.ts';
import { refusal } from '../../machines/refusal.ts';
import { type Answer, accepted, refused } from './answer.ts';
import { discardVersion } from './discard-version.ts';
import type { Draft } from './draft.ts';
import { rescore } from './end-run.ts';
import { followBans } from './follow-bans.ts';
import { isOfFormerSuite } from './former-suite.ts';
import type { evalMessages, VersionOrderReply } from './messages.ts';
import { supersedeVersion } from './supersede-suite.ts';

type Discard = z.infer<(typeof evalMessages)['discard-version']>;
type Reinstate = z.infer<(typeof evalMessages)['reinstate-version']>;

const ended: ReadonlySet<string> = new Set(['discarded', 'cancelled']);

/** An operator's discard; of a version that has ended already it changes nothing. */
export function orderDiscard(draft: Draft, { agentVersionId, reason }: Discard): Answer {
  const version = versionOf(draft, agentVersionId);
  if (version === undefined) return unknownVersion();
  if (!ended.has(version.value)) {
    draft.recordVersion(agentVersionId, [
      { type: 'DISCARDED', at: draft.nowMs, reason: asTold(reason) },
    ]);
    discardVersion(draft, agentVersionId);
  }
  return stateOf(draft, agentVersionId);
}

/** Takes a discard back, whoever ordered it; a version that is not discarded stays as it is. */
export function reinstateVersion(draft: Draft, { agentVersionId }: Reinstate): Answer {
  const version = versionOf(draft, agentVersionId);
  if (version === undefined) return unknownVersion();
  if (version.value === 'discarded') reinstate(draft, version);
  return stateOf(draft, agentVersionId);
}

function reinstate(draft: Draft, version: VersionState): void {
  const { agentVersionId, suiteId, submittedAt } = version.context;
  const wasEvaluated = (draft.aggregate(agentVersionId)?.runs.size ?? 0) > 0;
  draft.recordVersion(agentVersionId, decideReinstatement(version, wasEvaluated));
  const restored = versionOf(draft, agentVersionId);
  if (restored === undefined) return;
  const activeSuiteId = draft.state.orders?.activeSuiteId ?? suiteId;
  // What the switch of the suite would have done to it meanwhile.
  const isFormer = isOfFormerSuite(draft, activeSuiteId, { suiteId, atMs: submittedAt });
  if (restored.value !== 'eligible' && isFormer) supersedeVersion(draft, restored);
  else reopenWork(draft, agentVersionId);
}

function reopenWork(draft: Draft, agentVersionId: string): void {
  for (const { state } of [...(draft.aggregate(agentVersionId)?.items.values() ?? [])]) {
    const { workItemId, rejudges, closeReason } = state.context;
    if (state.value !== 'cancelled' || closeReason !== 'VERSION_DISCARDED') continue;
    // Nobody waits any more for the judging that a discard ended.
    if (rejudges !== null || draft.state.isRaceOver(state.context)) continue;
    draft.requireRunning(state.context);
    draft.recordItem(agentVersionId, workItemId, [
      { type: 'REOPENED', reason: 'VERSION_REINSTATED' },
    ]);
    followBans(draft, agentVersionId, workItemId);
    rescore(draft, agentVersionId, workItemId);
  }
}

function versionOf(draft: Draft, agentVersionId: string): VersionState | undefined {
  return draft.aggregate(agentVersionId)?.version.state;
}

function stateOf(draft: Draft, agentVersionId: string): Answer {
  const version = versionOf(draft, agentVersionId);
  if (version === undefined) return unknownVersion();
  const reply: VersionOrderReply = { agentVersionId, state: versionStatus(version) };
  return accepted(reply);
}

function unknownVersion(): Answer {
  return refused(refusal('AGENT_VERSION_NOT_FOUND'));
}
