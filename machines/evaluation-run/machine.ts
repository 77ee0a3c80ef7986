import { assign, setup } from 'xstate';
import type { MachineState, Model } from '../kernel.ts';
import { emptyTally, type RunContext, type RunFact, runContext, type Tally } from './facts.ts';

const unclaimed: RunContext = {
  evalRunId: '',
  workItemId: '',
  agentVersionId: '',
  suiteId: 0,
  phase: 'QUALIFYING',
  raceId: null,
  executionKind: 'envpack',
  envPackSha256: null,
  validatorHotkey: '',
  slot: 0,
  fence: 1,
  expectedItems: 0,
  claimedAt: 0,
  startedAt: null,
  progressAt: 0,
  leaseUntil: 0,
  endedAt: null,
  tally: emptyTally,
  isIncluded: false,
  exclusionReason: null,
  scoreMicro: null,
  faultClass: null,
  endReason: null,
  completion: null,
  rejudges: null,
};

const types: { context: RunContext; events: RunFact } = {
  context: unclaimed,
  events: { type: 'INCLUDED' },
};

/**
 * One validator's attempt at a work item, which is one lease.
 *
 * 1. It belongs to one hotkey for ever; reclaimed work gets a new run with a higher fence.
 * 2. An end absorbs: afterwards only the inclusion of a success changes, and for whose score.
 */
const machine = setup({
  types,
  actions: {
    end: assign(({ event }) => ('at' in event ? { endedAt: event.at } : {})),
    blame: assign(({ event }) =>
      event.type === 'FAILED' || event.type === 'RUN_TIMED_OUT'
        ? { faultClass: event.faultClass, completion: event.completion }
        : {},
    ),
    name: assign(({ event }) =>
      event.type === 'STALED' || event.type === 'CANCELLED' ? { endReason: event.reason } : {},
    ),
    score: assign(({ event }) =>
      event.type === 'SUCCEEDED'
        ? {
            scoreMicro: event.scoreMicro,
            isIncluded: event.isIncluded,
            exclusionReason: event.exclusionReason,
            completion: event.completion,
          }
        : {},
    ),
  },
}).createMachine({
  id: 'evaluation-run',
  context: unclaimed,
  initial: 'unclaimed',
  states: {
    unclaimed: {
      on: {
        CLAIMED: {
          target: 'claimed',
          actions: assign(({ event }) => ({
            ...event.run,
            rejudges: event.rejudges ?? null,
            claimedAt: event.at,
            progressAt: event.at,
            leaseUntil: event.leaseUntil,
          })),
        },
      },
    },
    claimed: {
      on: {
        STARTED: {
          target: 'running',
          actions: assign(({ event }) => ({ startedAt: event.at, leaseUntil: event.leaseUntil })),
        },
        SUCCEEDED: { target: 'success', actions: ['end', 'score'] },
        FAILED: { target: 'failed', actions: ['end', 'blame'] },
        RUN_TIMED_OUT: { target: 'timedOut', actions: ['end', 'blame'] },
        STALED: { target: 'stale', actions: ['end', 'name'] },
        CANCELLED: { target: 'cancelled', actions: ['end', 'name'] },
      },
    },
    running: {
      on: {
        PROGRESS_RECORDED: {
          actions: assign(({ event }) => ({ progressAt: event.at, leaseUntil: event.leaseUntil })),
        },
        RESULTS_STORED: {
          actions: assign(({ context, event }) => ({
            progressAt: event.at,
            leaseUntil: event.leaseUntil,
            tally: sum(context.tally, event.added),
          })),
        },
        SUCCEEDED: { target: 'success', actions: ['end', 'score'] },
        FAILED: { target: 'failed', actions: ['end', 'blame'] },
        RUN_TIMED_OUT: { target: 'timedOut', actions: ['end', 'blame'] },
        STALED: { target: 'stale', actions: ['end', 'name'] },
        CANCELLED: { target: 'cancelled', actions: ['end', 'name'] },
      },
    },
    success: {
      on: {
        EXCLUDED: {
          actions: assign(({ event }) => ({ isIncluded: false, exclusionReason: event.reason })),
        },
        INCLUDED: { actions: assign({ isIncluded: true, exclusionReason: null }) },
        ADOPTED: {
          actions: assign(({ event }) => ({
            workItemId: event.workItemId,
            fence: event.fence,
            isIncluded: true,
            exclusionReason: null,
          })),
        },
      },
    },
    failed: { type: 'final' },
    timedOut: { type: 'final' },
    stale: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

function sum(left: Tally, right: Tally): Tally {
  return {
    items: left.items + right.items,
    rewardMicro: left.rewardMicro + right.rewardMicro,
    broken: left.broken + right.broken,
    integrity: left.integrity + right.integrity,
  };
}

export const evaluationRun: Model<RunContext, RunFact> = {
  name: 'evaluation-run',
  version: 2,
  machine,
  context: runContext,
  upcasts: {
    1: ({ value, context }) => ({ value, context: { ...(context as object), rejudges: null } }),
  },
  openValues: ['claimed', 'running'],
};

export type RunState = MachineState<RunContext>;

const statuses: Readonly<Record<string, string>> = {
  claimed: 'CLAIMED',
  running: 'RUNNING',
  success: 'SUCCESS',
  failed: 'FAILED',
  timedOut: 'TIMED_OUT',
  stale: 'STALE',
  cancelled: 'CANCELLED',
};

/** The status as the contract spells it. */
export function runStatus(run: RunState): string {
  return statuses[run.value] ?? run.value.toUpperCase();
}

export function isLive(run: RunState): boolean {
  return evaluationRun.openValues.includes(run.value);
}
