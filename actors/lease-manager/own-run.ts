import {
  refusalOfOwner,
  runNotFound,
  type UnmarkedEnd,
} from '../../machines/evaluation-run/decide.ts';
import type { RunState } from '../../machines/evaluation-run/machine.ts';
import type { Fault } from '../../machines/fault.ts';
import type { Draft } from './draft.ts';

export interface OwnRun {
  readonly agentVersionId: string;
  readonly evalRunId: string;
  readonly validatorHotkey: string;
}

export interface HeldRun {
  readonly run: RunState;
  /** The latest promise: nothing that is decided now may commit after it. */
  readonly leaseUntilMs: number;
}

/** The caller's live run, or why there is none. */
export function heldRun(draft: Draft, own: OwnRun): HeldRun | Fault {
  const run = draft.run(own.agentVersionId, own.evalRunId);
  if (run === undefined) return runNotFound();
  const { validatorHotkey } = own;
  const refusal = refusalOfOwner(run, { validatorHotkey, endedAs: unmarkedEnd(draft, run) });
  if (refusal !== undefined) return refusal;
  draft.requireRunning(run.context);
  draft.requireUnbanned(validatorHotkey);
  return { run, leaseUntilMs: leaseUntil(draft, run) };
}

/** A run's lease or its race may be over before anybody has marked the run. */
export function unmarkedEnd(draft: Draft, { context }: RunState): UnmarkedEnd | undefined {
  if (draft.state.isRaceOver(context)) return 'CANCELLED';
  return draft.state.deadlines.isOver(context.evalRunId, draft.nowMs) ? 'STALE' : undefined;
}

export function leaseUntil(draft: Draft, run: RunState): number {
  const { evalRunId, leaseUntil: written } = run.context;
  return draft.state.deadlines.get(evalRunId)?.leaseUntilMs ?? written;
}
