import { assign, setup } from 'xstate';
import type { MachineState, Model } from '../kernel.ts';
import { type EmissionContext, type EmissionFact, emissionContext } from './facts.ts';

const unmade: EmissionContext = { made: null };

const types: { context: EmissionContext; events: EmissionFact } = {
  context: unmade,
  events: {
    type: 'STANDINGS_MADE',
    made: { epochIndex: 0, raceId: null, bodySha256: '', at: 0 },
  },
};

/** The standings of an epoch: made once, at the first need, and never changed. */
const machine = setup({ types }).createMachine({
  id: 'emission',
  context: unmade,
  initial: 'unmade',
  states: {
    unmade: {
      on: {
        STANDINGS_MADE: { target: 'made', actions: assign(({ event }) => ({ made: event.made })) },
      },
    },
    made: { type: 'final' },
  },
});

export const emission: Model<EmissionContext, EmissionFact> = {
  name: 'emission',
  version: 1,
  machine,
  context: emissionContext,
  upcasts: {},
  openValues: [],
};

export type EmissionState = MachineState<EmissionContext>;
