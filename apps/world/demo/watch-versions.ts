import type { Clock } from '../../../infra/ports/clock.ts';
import { Refusal } from '../../cli/client/refusal.ts';
import type { AgentVersionStatus } from '../../cli/client/schemas.generated.ts';
import type { OperatorClient } from '../operator-client.ts';
import type { Story } from './story.ts';

const endStates: ReadonlySet<string> = new Set(['ELIGIBLE', 'DISCARDED', 'CANCELLED']);
// Often enough that an ended lease is told before the next claim, rare enough to cost nothing.
const pollMs = 250;

export interface Watching {
  readonly operator: OperatorClient;
  readonly clock: Clock;
  readonly story: Story;
  /** Versions that wait for their verdict; grows while miners submit. */
  readonly waiting: Set<string>;
  /** Tells what became of a version's runs, where nobody else does. */
  readonly lookAtRuns: ((status: AgentVersionStatus) => Promise<void>) | undefined;
  readonly isSubmitting: () => boolean;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Follows the versions by the public routes until each has its verdict; false when time ran out. */
export async function untilJudged(watching: Watching): Promise<boolean> {
  const { clock, story, waiting, signal } = watching;
  while (watching.isSubmitting() || waiting.size > 0 || story.isSomebodyAbsent) {
    if (clock.monotonicMs() > watching.deadlineMs) return false;
    await clock.sleep(pollMs, signal);
    if (signal.aborted) return false;
    await patiently(watching, () => tellEndedLeases(watching));
    for (const agentVersionId of [...waiting]) {
      await patiently(watching, () => lookAt(watching, agentVersionId));
    }
  }
  return true;
}

/** Whoever is asked to come again comes again, while there is time. */
async function patiently(watching: Watching, look: () => Promise<void>): Promise<void> {
  const { clock, signal, deadlineMs } = watching;
  while (!signal.aborted) {
    try {
      return await look();
    } catch (error) {
      const pauseMs = pauseMsOf(error);
      const leftMs = deadlineMs - clock.monotonicMs();
      if (leftMs <= 0) return;
      await clock.sleep(Math.min(pauseMs, leftMs), signal);
    }
  }
}

/** A public limit may be set low, or shared with other edges. */
function pauseMsOf(error: unknown): number {
  if (error instanceof Refusal && error.retryAfterSeconds !== undefined) {
    return error.retryAfterSeconds * 1000;
  }
  throw error;
}

async function tellEndedLeases({ operator, story }: Watching): Promise<void> {
  for (const { evalRunId, agentVersionId } of story.silentRuns) {
    const runs = await operator.api.getPublicAgentVersionsRuns({
      agent_version_id: agentVersionId,
    });
    const run = runs.find(({ eval_run_id: id }) => id === evalRunId);
    if (run !== undefined && run.status !== 'CLAIMED' && run.status !== 'RUNNING') {
      story.leaseEnded(evalRunId);
    }
  }
}

async function lookAt(watching: Watching, agentVersionId: string): Promise<void> {
  const status = await watching.operator.api.getPublicAgentVersionsStatus({
    agent_version_id: agentVersionId,
  });
  await watching.lookAtRuns?.(status);
  if (!endStates.has(status.state)) return;
  watching.waiting.delete(agentVersionId);
  if (status.state === 'DISCARDED') watching.story.discarded(agentVersionId, status.discard_reason);
}
