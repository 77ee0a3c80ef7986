import { showRun } from '../../../apps/edge/routes/public/show-run.ts';
import { showVersionStatus } from '../../../apps/edge/routes/public/show-version-status.ts';
import type { RunRead } from '../oracle/read-history.ts';
import type { SimAnswer } from '../service/sim-edge.ts';
import type { Participant } from './participant.ts';

/** Several looks within a second or two, each through whichever edge is met. */
export async function watchRun(by: Participant, runId: string): Promise<void> {
  for (let look = 0; look < 4; look += 1) {
    await lookAtRun(by, runId);
    await by.sleep(20, 500);
  }
}

/** Once what was acknowledged has to be seen everywhere. */
export async function lookLater(by: Participant, runId: string): Promise<void> {
  await by.sleep(1_000, 3_000);
  await lookAtRun(by, runId);
}

export async function lookAtRun(by: Participant, runId: string): Promise<void> {
  const { counters, history } = by.deps;
  const question = history.reads.asks(by.name, runId);
  const outcome = await by.send(showRun, { params: { eval_run_id: runId } });
  if (outcome.kind !== 'answered') return;
  const { status, body } = outcome.answer;
  if (status === 404) history.reads.foundNoRun(question);
  if (status !== 200) return;
  counters.add('runs read');
  if (question.acknowledged !== undefined) counters.add('runs read after a write');
  history.reads.readRun(question, body as RunRead);
}

/** The answer, unless there was none that tells anything. */
export async function lookAtVersion(
  by: Participant,
  versionId: string,
): Promise<SimAnswer | undefined> {
  const { counters, history, kernel } = by.deps;
  const { nowMs: sentAtMs } = kernel;
  const outcome = await by.send(showVersionStatus, { params: { agent_version_id: versionId } });
  if (outcome.kind !== 'answered') return undefined;
  if (outcome.answer.status === 404) history.reads.foundNoVersion(versionId, sentAtMs);
  if (outcome.answer.status !== 200) return undefined;
  counters.add('versions read');
  return outcome.answer;
}
