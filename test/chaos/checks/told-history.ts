import { LifecycleHistory } from '../../support/lifecycle-history.ts';
import type { Attempt, History } from '../clients/history.ts';

/** What clients were told, attempts put together, for the checks of a quiet database. */
export function toldHistory(
  { attempts, silent }: History,
  unpunctual: ReadonlySet<string>,
): LifecycleHistory {
  const told = new LifecycleHistory();
  for (const evalRunId of [...silent, ...unpunctual]) told.silent.add(evalRunId);
  for (const attempt of attempts) {
    if (attempt.outcome === 'acknowledged') tellOf(attempt, told);
  }
  return told;
}

function tellOf(attempt: Attempt, to: LifecycleHistory): void {
  const { sent, told } = attempt;
  const evalRunId = sent.evalRunId ?? told.evalRunId ?? '';
  if (told.leaseUntilMs !== undefined) {
    const before = to.leaseUntilMs.get(evalRunId) ?? 0;
    to.leaseUntilMs.set(evalRunId, Math.max(before, told.leaseUntilMs));
  }
  if (sent.kind === 'claim' && told.evalRunId !== undefined) claimed(attempt, to);
  if (sent.kind === 'submit' && told.agentVersionId !== undefined) {
    to.submissions.set(told.agentVersionId, attempt.client);
  }
  if (sent.kind === 'results') stored(attempt, to);
  if (sent.kind === 'complete') completed(attempt, to);
  if (sent.kind === 'release') to.released.add(evalRunId);
}

function claimed({ client, told }: Attempt, to: LifecycleHistory): void {
  const { evalRunId = '', agentVersionId = '' } = told;
  const before = to.claims.get(evalRunId);
  if (before !== undefined && before.validatorHotkey !== client) {
    to.contradictions.push(`run ${evalRunId} was given to two validators`);
  }
  to.claims.set(evalRunId, { validatorHotkey: client, agentVersionId });
}

function stored({ sent, told }: Attempt, to: LifecycleHistory): void {
  const { taskIds = [], evalRunId = '' } = sent;
  const { statuses = [], resultIds = [] } = told;
  if (taskIds.length !== statuses.length) {
    to.contradictions.push(`${taskIds.length} results were sent and ${statuses.length} answered`);
  }
  for (const [index, taskId] of taskIds.entries()) {
    if (statuses[index] !== 201) continue;
    const key = `${evalRunId} ${taskId}`;
    if (to.results.has(key)) to.contradictions.push(`result ${key} was stored twice`);
    to.results.set(key, resultIds[index] ?? '');
  }
}

function completed({ sent, told }: Attempt, to: LifecycleHistory): void {
  const { evalRunId = '' } = sent;
  const before = to.completions.get(evalRunId);
  const { runStatus: status = '', becameEligible = false, finalScore = null } = told;
  if (before !== undefined && before.status !== status) {
    to.contradictions.push(`run ${evalRunId} was answered ${before.status} and ${status}`);
  }
  to.completions.set(evalRunId, { status, becameEligible, finalScore });
}
