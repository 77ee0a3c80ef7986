import { everyMutant } from '../mutants/every-mutant.ts';
import { command, flag, names, whole } from './command-line.ts';

export const mutantsCommand = command({
  script: 'test:mutants',
  says: 'Plants known defects, one at a time: the simulator or chaos must see each.',
  options: {
    only: names(
      'defects',
      everyMutant.map(({ id }) => id),
    ),
    seeds: whole(24, 'seeds that each is looked for on', { max: 10_000 }),
    jobs: whole(2, 'worlds at the same time', { max: 64 }),
    control: flag('the product as it is too, which --only leaves out'),
  },
});
