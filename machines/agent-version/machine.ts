import { assign, setup } from 'xstate';
import type { MachineState, Model } from '../kernel.ts';
import { type VersionContext, type VersionFact, versionContext } from './facts.ts';

const unsubmitted: VersionContext = {
  agentVersionId: '',
  agentId: '',
  agentName: '',
  minerHotkey: '',
  minerColdkey: null,
  suiteId: 0,
  codeSha256: '',
  codeSizeBytes: 0,
  submittedAt: 0,
  requiredSuccesses: 1,
  consecutiveAgentFailures: 0,
  scores: { mean: null, low: null, high: null },
  eligibleAt: null,
  discardedAt: null,
  discardReason: null,
};

const types: { context: VersionContext; events: VersionFact } = {
  context: unsubmitted,
  events: { type: 'QUEUED' },
};

const discarded = { target: 'discarded', actions: 'drop' } as const;
const cancelled = { target: 'cancelled', actions: 'drop' } as const;
const countFault = { actions: 'countFault' } as const;
const clearFaults = { actions: 'clearFaults' } as const;
const score = { actions: 'score' } as const;

/** Eligible is who was eligible before, and nobody else. */
function goesTo(state: 'queued' | 'running' | 'eligible') {
  return ({ context, event }: { readonly context: VersionContext; readonly event: VersionFact }) =>
    event.type === 'REINSTATED' &&
    event.to === state &&
    (state === 'eligible') === (context.eligibleAt !== null);
}

/**
 * A submission on its way to the races. It becomes eligible once, and only an operator's order takes
 * a discard back: then it stands where it stood.
 */
const machine = setup({
  types,
  actions: {
    drop: assign(({ event }) =>
      event.type === 'DISCARDED' || event.type === 'VERSION_CANCELLED'
        ? { discardedAt: event.at, discardReason: event.reason }
        : {},
    ),
    countFault: assign(({ context }) => ({
      consecutiveAgentFailures: context.consecutiveAgentFailures + 1,
    })),
    clearFaults: assign({ consecutiveAgentFailures: 0 }),
    score: assign(({ event }) => (event.type === 'SCORED' ? { scores: event.scores } : {})),
    restore: assign({ consecutiveAgentFailures: 0, discardedAt: null, discardReason: null }),
  },
}).createMachine({
  id: 'agent-version',
  context: unsubmitted,
  initial: 'unsubmitted',
  states: {
    unsubmitted: {
      on: { RECEIVED: { target: 'received', actions: assign(({ event }) => event.version) } },
    },
    received: {
      on: { QUEUED: 'queued', DISCARDED: discarded, VERSION_CANCELLED: cancelled },
    },
    queued: {
      on: { EVALUATION_STARTED: 'running', DISCARDED: discarded, VERSION_CANCELLED: cancelled },
    },
    running: {
      on: {
        AGENT_FAULT_COUNTED: countFault,
        AGENT_FAULTS_CLEARED: clearFaults,
        SCORED: score,
        BECAME_ELIGIBLE: {
          target: 'eligible',
          actions: assign(({ event }) => ({ eligibleAt: event.at })),
        },
        DISCARDED: discarded,
        VERSION_CANCELLED: cancelled,
      },
    },
    eligible: {
      on: {
        AGENT_FAULT_COUNTED: countFault,
        AGENT_FAULTS_CLEARED: clearFaults,
        SCORED: score,
        DISCARDED: discarded,
      },
    },
    discarded: {
      on: {
        SCORED: score,
        REINSTATED: [
          { guard: goesTo('eligible'), target: 'eligible', actions: 'restore' },
          { guard: goesTo('running'), target: 'running', actions: 'restore' },
          { guard: goesTo('queued'), target: 'queued', actions: 'restore' },
        ],
      },
    },
    cancelled: { type: 'final' },
  },
});

export const agentVersion: Model<VersionContext, VersionFact> = {
  name: 'agent-version',
  version: 1,
  machine,
  context: versionContext,
  upcasts: {},
  openValues: ['received', 'queued', 'running'],
};

export type VersionState = MachineState<VersionContext>;

/** The state as the contract spells it. */
export function versionStatus(version: VersionState): string {
  return version.value.toUpperCase();
}
