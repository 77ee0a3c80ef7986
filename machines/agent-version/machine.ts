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

/** A submission on its way to the races: it becomes eligible once, and a discard is for ever. */
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
        SCORED: { actions: assign(({ event }) => ({ scores: event.scores })) },
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
        SCORED: { actions: assign(({ event }) => ({ scores: event.scores })) },
        DISCARDED: discarded,
      },
    },
    discarded: { type: 'final' },
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
