import type { Transaction } from '../../../infra/ports/sql.ts';
import { type Tidings, tidings } from '../../../machines/feed/public-event.ts';
import { runEndKey, scoreOfMicro } from './project-fact.ts';
import { codeOf, type DueRelease, type EndedRun, endedRuns } from './store.ts';

/** What the public is told when a release is due. */
export async function tidingsOf(tx: Transaction, release: DueRelease): Promise<readonly Tidings[]> {
  if (release.kind === 'CODE') return await codeReleased(tx, release);
  return (await endedRuns(tx, release.id))
    .toSorted(byPublicOrder)
    .map((run) => runEnded(run, release));
}

async function codeReleased(
  tx: Transaction,
  { id, dueMs, reason }: DueRelease,
): Promise<readonly Tidings[]> {
  const code = await codeOf(tx, id);
  if (code === undefined) throw new Error(`there is no version ${id} to release`);
  return [
    tidings({
      key: `code-released:${id}`,
      type: 'code-released',
      body: {
        agent_version_id: code.agentVersionId,
        agent_name: code.agentName,
        miner_hotkey: code.minerHotkey,
        suite_id: code.suiteId,
        version_number: code.versionNumber,
        code_sha256: code.codeSha256,
        release_reason: reason ?? 'AGED',
      },
      atMs: dueMs,
    }),
  ];
}

const judged: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'TIMED_OUT']);

/** A cancelled race releases nothing, so neither which of its runs were judged nor when. */
function runEnded(run: EndedRun, { dueMs }: DueRelease): Tidings {
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

/** As they ended; of a cancelled race by their ids, for the order would tell who was judged. */
function byPublicOrder(a: EndedRun, b: EndedRun): number {
  if (!a.isRaceCancelled) return 0;
  return a.evalRunId < b.evalRunId ? -1 : 1;
}
