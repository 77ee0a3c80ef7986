import { command, flag, seed, whole } from './command-line.ts';

export const simCommand = command({
  script: 'sim',
  says: 'Race days in virtual time, with faults; ends with 1 when anything is violated.',
  options: {
    seeds: whole(20, 'worlds, each of a seed of its own'),
    days: whole(1, 'race days of each seed', { max: 1000 }),
    seed,
    processes: whole(1, 'processes of this machine, each with a database server of its own', {
      max: 64,
    }),
    trace: flag('every step, in this process alone'),
    calm: flag('a world in which nothing fails'),
    thorough: flag('on to the other seeds after a violation'),
  },
});
