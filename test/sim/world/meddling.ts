import { completeRun } from '../../../apps/edge/routes/validator/complete-run.ts';
import { releaseRun } from '../../../apps/edge/routes/validator/release-run.ts';
import { sendHeartbeat } from '../../../apps/edge/routes/validator/send-heartbeat.ts';
import type { Participant } from './participant.ts';

const requests = [
  { what: 'a heartbeat', endpoint: sendHeartbeat, body: {} },
  {
    what: 'a completion',
    endpoint: completeRun,
    body: { terminal_status: 'FAILED', failure_reason: 'not mine' },
  },
  { what: 'a release', endpoint: releaseRun, body: {} },
] as const;

/** Writes to a run that is another's, of which nothing may be taken. */
export async function meddleWith(by: Participant, runId: string): Promise<void> {
  const { counters, history, kernel, model } = by.deps;
  const asked = by.random.choose(requests);
  const owner = model.runs.get(runId)?.validatorHotkey;
  if (asked === undefined || owner === undefined || owner === by.name) return;
  const sentAtMs = kernel.domainNowMs;
  const params = { eval_run_id: runId };
  const outcome = await by.send(asked.endpoint, { params, body: asked.body });
  counters.add('requests for a run of another');
  if (outcome.kind !== 'answered' || outcome.answer.status >= 300) return;
  history.acknowledged(asked.what, runId, { hotkey: by.name, sentAtMs });
}
