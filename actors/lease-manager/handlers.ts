import { z } from 'zod';
import type { Answer } from './answer.ts';
import { appendResults } from './append-results.ts';
import { banHotkey, unbanHotkey } from './ban-hotkey.ts';
import { claimWork } from './claim-work.ts';
import { completeRun } from './complete-run.ts';
import type { Draft } from './draft.ts';
import { endRace } from './end-race.ts';
import { expireRuns } from './expire-runs.ts';
import { heartbeat } from './heartbeat.ts';
import { type EvalCommandType, evalCommands, evalMessages } from './messages.ts';
import { recordProgress } from './record-progress.ts';
import { applyRejudging, cancelRejudging, openRejudging } from './rejudge-runs.ts';
import { releaseRun } from './release-run.ts';
import { repeatClaim } from './repeat-claim.ts';
import { orderExclusion, orderInclusion, reclaimRun } from './run-orders.ts';
import { startRace } from './start-race.ts';
import { submitVersion } from './submit-version.ts';
import { supersedeSuites } from './supersede-suite.ts';
import { authorizeUpload, presignArtifact } from './uploads.ts';
import { orderDiscard, reinstateVersion } from './version-orders.ts';

interface Handler<T> {
  readonly request: z.ZodType<T>;
  /** Runs only on what `request` parsed. */
  handle(draft: Draft, request: T): Answer;
}

const messages = {
  'hotkey-banned': handler(evalMessages['hotkey-banned'], (draft, { hotkey }) =>
    banHotkey(draft, hotkey),
  ),
  'hotkey-unbanned': handler(evalMessages['hotkey-unbanned'], (draft, { hotkey }) =>
    unbanHotkey(draft, hotkey),
  ),
  'suite-activated': handler(evalMessages['suite-activated'], (draft, { suiteId }) =>
    supersedeSuites(draft, suiteId),
  ),
  'race-started': handler(evalMessages['race-started'], startRace),
  'race-ended': handler(evalMessages['race-ended'], endRace),
  'discard-version': handler(evalMessages['discard-version'], orderDiscard),
  'reinstate-version': handler(evalMessages['reinstate-version'], reinstateVersion),
  'exclude-run': handler(evalMessages['exclude-run'], orderExclusion),
  'include-run': handler(evalMessages['include-run'], orderInclusion),
  'reclaim-run': handler(evalMessages['reclaim-run'], reclaimRun),
  'open-rejudging': handler(evalMessages['open-rejudging'], openRejudging),
  'apply-rejudging': handler(evalMessages['apply-rejudging'], applyRejudging),
  'cancel-rejudging': handler(evalMessages['cancel-rejudging'], cancelRejudging),
} satisfies Record<keyof typeof evalMessages, unknown>;

const commands = {
  'submit-version': handler(evalCommands['submit-version'].request, submitVersion),
  'claim-work': handler(evalCommands['claim-work'].request, claimWork),
  heartbeat: handler(evalCommands.heartbeat.request, heartbeat),
  'record-progress': handler(evalCommands['record-progress'].request, recordProgress),
  'append-results': handler(evalCommands['append-results'].request, appendResults),
  'presign-artifact': handler(evalCommands['presign-artifact'].request, presignArtifact),
  'authorize-upload': handler(evalCommands['authorize-upload'].request, authorizeUpload),
  'release-run': handler(evalCommands['release-run'].request, releaseRun),
  'repeat-claim': handler(evalCommands['repeat-claim'].request, repeatClaim),
  'settle-run': handler(evalCommands['settle-run'].request, (draft, { evalRunId }) =>
    expireRuns(draft, [evalRunId]),
  ),
  'complete-run': handler(evalCommands['complete-run'].request, completeRun),
} satisfies Record<EvalCommandType, unknown>;

/** What the partition says to itself when time has passed. */
const ownCommands = {
  'expire-runs': handler(z.object({ evalRunIds: z.array(z.string()) }), (draft, { evalRunIds }) =>
    expireRuns(draft, evalRunIds),
  ),
};

export const handlers: Readonly<Record<string, Handler<unknown> | undefined>> = {
  ...commands,
  ...messages,
  ...ownCommands,
};

function handler<T>(
  request: z.ZodType<T>,
  handle: (draft: Draft, request: T) => Answer,
): Handler<unknown> {
  // Sound because the caller hands `handle` nothing but what `request` gave back.
  return { request, handle: (draft, body) => handle(draft, body as T) };
}
