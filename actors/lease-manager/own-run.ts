import { refusalOfOwner, runNotFound } from '../../machines/evaluation-run/decide.ts';
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
  const isOver = draft.state.deadlines.isOver(own.evalRunId, draft.nowMs);
  const refusal = refusalOfOwner(run, { validatorHotkey: own.validatorHotkey, isOver });
  return refusal ?? { run, leaseUntilMs: leaseUntil(draft, run) };
}

export function leaseUntil(draft: Draft, run: RunState): number {
  const { evalRunId, leaseUntil: written } = run.context;
  return draft.state.deadlines.get(evalRunId)?.leaseUntilMs ?? written;
}
