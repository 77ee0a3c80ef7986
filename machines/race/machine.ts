import { assign, setup } from 'xstate';
import type { MachineState, Model } from '../kernel.ts';
import { type RaceContext, type RaceFact, raceContext } from './facts.ts';

const unopened: RaceContext = {
  raceId: '',
  suiteId: 0,
  raceNumber: 1,
  policyVersion: 0,
  policy: {
    qualifyingThreshold: '0.0000',
    requiredSuccesses: 1,
    raceTasks: 1,
    eliminationShareMicro: 0,
    windowRaces: 1,
    marginInitialMicro: 0,
    marginFloorMicro: 0,
    marginHalfLifeMs: 1,
    burnRateMicro: 0,
    raceLimitMs: 1,
    embargoMs: 0,
  },
  openedAt: 0,
  closesAt: 0,
  closedAt: null,
  entrantIds: [],
  startedAt: null,
  deadlineAt: null,
  endedAt: null,
  releasedAt: null,
  winnerId: null,
  promotedId: null,
  cancelReason: null,
};

const types: { context: RaceContext; events: RaceFact } = {
  context: unopened,
  events: { type: 'RACE_CANCELLED', at: 0, reason: 'NO_ENTRANT' },
};

const cancelled = { target: 'raceCancelled', actions: 'cancel' } as const;

/**
 * One day's race of a suite.
 *
 * 1. It moves forward only: open, closed, running, over.
 * 2. Its policy is fixed when it opens and its entrants when qualifying closes.
 */
const machine = setup({
  types,
  actions: {
    cancel: assign(({ event }) =>
      event.type === 'RACE_CANCELLED' ? { endedAt: event.at, cancelReason: event.reason } : {},
    ),
  },
}).createMachine({
  id: 'race',
  context: unopened,
  initial: 'unopened',
  states: {
    unopened: {
      on: { RACE_OPENED: { target: 'qualifyingOpen', actions: assign(({ event }) => event.race) } },
    },
    qualifyingOpen: {
      on: {
        QUALIFYING_CLOSED: {
          target: 'qualifyingClosed',
          actions: assign(({ event }) => ({
            closedAt: event.at,
            entrantIds: [...event.entrantIds],
          })),
        },
        RACE_CANCELLED: cancelled,
      },
    },
    qualifyingClosed: {
      on: {
        RACE_STARTED: {
          target: 'raceRunning',
          actions: assign(({ event }) => ({ startedAt: event.at, deadlineAt: event.deadlineAt })),
        },
        RACE_CANCELLED: cancelled,
      },
    },
    raceRunning: {
      on: {
        RACE_COMPLETED: {
          target: 'raceComplete',
          actions: assign(({ event }) => ({
            endedAt: event.at,
            releasedAt: event.releasedAt,
            winnerId: event.winnerId,
            promotedId: event.promotedId,
          })),
        },
        RACE_CANCELLED: cancelled,
      },
    },
    raceComplete: { type: 'final' },
    raceCancelled: { type: 'final' },
  },
});

export const race: Model<RaceContext, RaceFact> = {
  name: 'race',
  version: 1,
  machine,
  context: raceContext,
  upcasts: {},
  openValues: ['qualifyingOpen', 'qualifyingClosed', 'raceRunning'],
};

export type RaceState = MachineState<RaceContext>;
