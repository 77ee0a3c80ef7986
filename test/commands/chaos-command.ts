import { command, file, flag, seed, whole } from './command-line.ts';
import { clients, processes } from './sizes.ts';

/** What `npm run chaos` is made of, unless told. */
export const usualChaos = {
  ...{ edges: 3, coordinators: 3, validators: 150, miners: 24, perSecond: 8 },
} as const;

export const chaosCommand = command({
  script: 'chaos',
  says: 'Real processes behind bad lines, a fault every few seconds; 1: violated, 2: void.',
  options: {
    minutes: whole(10, 'minutes', { max: 10_080 }),
    seed,
    edges: whole(usualChaos.edges, 'edges', processes),
    coordinators: whole(usualChaos.coordinators, 'coordinators', processes),
    validators: whole(usualChaos.validators, 'validators', clients),
    miners: whole(usualChaos.miners, 'miners', clients),
    rate: whole(usualChaos.perSecond, 'lifecycles begun per second', { max: 1000 }),
    from: file('an installed release before, from which all is upgraded meanwhile'),
    report: file('where the report is written as JSON'),
    keep: flag('the evidence, also of a good run'),
    plan: flag('shows the faults of the seed and does nothing'),
  },
});
