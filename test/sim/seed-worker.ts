/** A part of the seeds in a process of its own; tells the parent of each, and of the sums at the end. */
import { runSim, type SimOptions } from './run-sim.ts';

export interface Share extends Pick<SimOptions, 'days' | 'hasFaults' | 'isThorough' | 'seed'> {
  readonly seeds: number;
}

// Its parent is gone, or needs nothing more.
process.once('disconnect', () => process.exit());
process.once('message', (share: Share) => {
  void runSim({
    ...share,
    onSeed: (seed) => process.send?.({ seed }),
  }).then(({ counts }) => {
    process.send?.({ counts: [...counts] }, undefined, undefined, () => process.disconnect?.());
  });
});
