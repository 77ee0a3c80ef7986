import type { Attempt } from '../clients/history.ts';
import type { ObjectModel, Operation } from './linearizable.ts';

/** What happened to one evaluation run, by its clients, by the service, and at the last look. */
export type RunOperation = Operation &
  (
    | { readonly kind: 'client'; readonly attempt: Attempt; readonly isPastLease: boolean }
    /** The service ended it by itself, at a moment that the database tells. */
    | { readonly kind: 'ended'; readonly status: 'CANCELLED' | 'STALE' }
    /** What the database holds when all is quiet. */
    | { readonly kind: 'seen'; readonly status: string; readonly taskIds: readonly string[] }
  );

interface RunState {
  /** `''` before its claim, `live`, or how it ended; `?` where no answer has told. */
  readonly status: string;
  /** Of the completion that ended it. */
  readonly digest: string;
  readonly stored: readonly string[];
}

const unclaimed: RunState = { status: '', digest: '', stored: [] };

/**
 * One evaluation run: claimed once, then live until its one end, after which nothing changes.
 * A refusal that only an ended run deserves is right of a live one as soon as its last promise is
 * over: the owner refuses first and marks the run a moment later.
 */
export const runModel: ObjectModel<RunOperation> = {
  initial: JSON.stringify(unclaimed),
  step(text, operation) {
    const next = stepRun(JSON.parse(text), operation);
    return next === undefined ? undefined : JSON.stringify(next);
  },
};

function stepRun(run: RunState, operation: RunOperation): RunState | undefined {
  if (operation.kind === 'ended') {
    return run.status === 'live' ? { ...run, status: operation.status } : undefined;
  }
  if (operation.kind === 'seen') {
    const isSame = run.status === operation.status || (run.status === '?' && isDone(operation));
    const hasAll = [...operation.taskIds].sort().join() === run.stored.join();
    return isSame && hasAll ? run : undefined;
  }
  const { attempt } = operation;
  switch (attempt.sent.kind) {
    case 'claim':
      return claim(run, attempt);
    case 'heartbeat':
      return beat(run, operation);
    case 'results':
      return append(run, operation);
    case 'complete':
      return complete(run, operation);
    case 'release':
      return release(run, operation);
    default:
      return undefined;
  }
}

type ByClient = Extract<RunOperation, { kind: 'client' }>;

const isDone = ({ status }: { readonly status: string }) =>
  status === 'SUCCESS' || status === 'FAILED' || status === 'TIMED_OUT' || status === '?';
const isGone = ({ status }: RunState) => status === 'STALE' || status === 'CANCELLED';
/** Refused as gone: it is, or its lease is over and nobody has marked it yet. */
const mayBeGone = (run: RunState, { isPastLease }: ByClient) =>
  isGone(run) || (run.status === 'live' && isPastLease);

function claim(run: RunState, { sent }: Attempt): RunState | undefined {
  if (run.status === '') return { ...run, status: 'live' };
  // Handed out again: live, or under its key the first answer whatever became of the run.
  return run.status === 'live' || sent.isKeyed ? run : undefined;
}

function beat(run: RunState, operation: ByClient): RunState | undefined {
  const { outcome, code } = operation.attempt;
  if (outcome === 'acknowledged') return run.status === 'live' ? run : undefined;
  if (code === 'LEASE_EXPIRED') return mayBeGone(run, operation) ? run : undefined;
  return code === 'RUN_ALREADY_COMPLETE' && isDone(run) ? run : undefined;
}

function append(run: RunState, operation: ByClient): RunState | undefined {
  const { sent, told, outcome } = operation.attempt;
  const { taskIds = [] } = sent;
  const { statuses } = told;
  if (outcome === 'unknown' || statuses === undefined) {
    return run.status === 'live' ? withStored(run, taskIds) : undefined;
  }
  if (statuses.every((status) => status === 422)) {
    return isDone(run) || mayBeGone(run, operation) ? run : undefined;
  }
  if (run.status !== 'live') return undefined;
  const isRight = taskIds.every((taskId, index) => {
    const isStored = run.stored.includes(taskId);
    return statuses[index] === (isStored ? 409 : 201);
  });
  return isRight ? withStored(run, taskIds) : undefined;
}

function withStored(run: RunState, taskIds: readonly string[]): RunState {
  return { ...run, stored: [...new Set([...run.stored, ...taskIds])].sort() };
}

function complete(run: RunState, operation: ByClient): RunState | undefined {
  const { sent, told, outcome, code } = operation.attempt;
  const { digest = '' } = sent;
  if (outcome === 'acknowledged' || outcome === 'unknown') {
    const status = told.runStatus ?? '?';
    if (run.status === 'live') return { ...run, status, digest };
    const isReplay = isDone(run) && run.digest === digest;
    if (!isReplay) return undefined;
    return { ...run, status: run.status === '?' ? status : run.status };
  }
  switch (code) {
    case 'NOT_RUN_OWNER':
      return mayBeGone(run, operation) ? run : undefined;
    case 'RUN_ALREADY_COMPLETE':
      return isDone(run) && run.digest !== digest ? run : undefined;
    case 'RESULTS_INCOMPLETE':
    case 'SCORE_MISMATCH':
      return run.status === 'live' ? run : undefined;
    default:
      return undefined;
  }
}

function release(run: RunState, operation: ByClient): RunState | undefined {
  const { outcome, code } = operation.attempt;
  if (outcome === 'acknowledged' || outcome === 'unknown') {
    if (run.status === 'live') return { ...run, status: 'CANCELLED' };
    // Given back before, by an attempt without an answer.
    return run.status === 'CANCELLED' ? run : undefined;
  }
  if (code === 'LEASE_EXPIRED') return mayBeGone(run, operation) ? run : undefined;
  return code === 'RUN_ALREADY_COMPLETE' && isDone(run) ? run : undefined;
}
