import { command, seed, whole } from './command-line.ts';
import { clients, processes } from './sizes.ts';

const count = whole(1_000_000, 'hostile requests', { max: 1_000_000_000 });

export const hostileCommand = command({
  script: 'test:hostile',
  says: 'Hostile requests by seed: none gets anywhere.',
  options: {
    count,
    seed,
    edges: whole(2, 'edges', processes),
    coordinators: whole(1, 'coordinators', processes),
    connections: whole(8, 'connections', clients),
    depth: whole(8, 'requests that a connection has under way', clients),
    only: {
      ...({ type: 'number', min: 0, max: count.max } as const),
      unit: 'one request of the seed, by its number, and what was answered',
    },
  },
});
