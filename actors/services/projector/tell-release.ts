import type { Transaction } from '../../../infra/ports/sql.ts';
import { type Tidings, tidings } from '../../../machines/feed/public-event.ts';
import { runEndKey, scoreOfMicro } from './project-fact.ts';
import { codeOf, type DueCode, type DueRelease, type EndedRun } from './store.ts';

export async function codeReleased(
  tx: Transaction,
  { id, dueMs, reason }: DueCode,
): Promise<Tidings> {
  const code = await codeOf(tx, id);
  if (code === undefined) throw new Error(`there is no version ${id} to release`);
  return tidings({
    key: `code-released:${id}`,
    type: 'code-released',
    body: {
      agent_version_id: code.agentVersionId,
      agent_name: code.agentName,
      miner_hotkey: code.minerHotkey,
      suite_id: code.suiteId,
      version_number: code.versionNumber,
      code_sha256: code.codeSha256,
      release_reason: reason,
    },
    atMs: dueMs,
  });
}

const judged: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'TIMED_OUT']);

/** A cancelled race releases nothing, so neither which of its runs were judged nor when. */
export function runEnded(run: EndedRun, { dueMs }: DueRelease): Tidings {
  const isSealed = run.isRaceCancelled;
  return tidings({
    key: runEndKey(run.evalRunId),
    type: 'run-ended',
    body: {
      eval_run_id: run.evalRunId,
      agent_version_id: run.agentVersionId,
      suite_id: run.suiteId,
      phase: 'RACE',
      race_id: run.raceId,
      validator_hotkey: run.validatorHotkey,
      status: isSealed && judged.has(run.status) ? 'CANCELLED' : run.status,
      validator_score: isSealed ? null : scoreOfMicro(run.scoreMicro),
    },
    atMs: isSealed ? dueMs : run.endedAtMs,
  });
}
