import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sweep } from '../sweep.ts';

const everyMs = 10_000;
// Small enough that no deletion holds anything up; at one chunk each 10 s per process the backlog
// of 300 nonces a second is still kept up with.
const chunkRows = 5_000;

/** Throws away what has served: used nonces, old challenges, ended sessions, first answers. */
export function createRetention(deps: {
  readonly sweeps: readonly Sweep[];
  readonly clock: Clock;
  readonly log: Logger;
}): Service {
  let stopTicking: (() => void) | undefined;
  let running: Promise<void> = Promise.resolve();
  const sweep = async () => {
    try {
      for (const deleteChunk of deps.sweeps) await deleteChunk(chunkRows);
    } catch (error) {
      deps.log.warn('old rows could not be deleted; the next round tries again', { error });
    }
  };
  return {
    start: async () => {
      stopTicking = deps.clock.every(everyMs, () => {
        running = sweep();
        return running;
      });
    },
    stop: async () => {
      stopTicking?.();
      await running;
    },
  };
}
