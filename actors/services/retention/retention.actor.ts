import type { Clock } from '../../../infra/ports/clock.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { createRounds } from '../rounds.ts';
import type { Sweep } from '../sweep.ts';

const everyMs = 10_000;
// Small enough that no deletion holds anything up.
const chunkRows = 5_000;
// Anybody may prove a key of no worth, and each proof leaves a nonce: one edge checks 5,000 a second,
// so a process keeps up with five of them.
const chunksMax = 50;

/** Chunk after chunk while they come back full; what is left then waits for the next round. */
async function deleteAll(deleteChunk: Sweep): Promise<void> {
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    if ((await deleteChunk(chunkRows)) < chunkRows) return;
  }
}

/** Throws away what has served: used nonces, old challenges, ended sessions, first answers. */
export function createRetention(deps: {
  /** By what each deletes. */
  readonly sweeps: Readonly<Record<string, Sweep>>;
  readonly clock: Clock;
  readonly log: Logger;
}): Service {
  // None is kept from its work by another that fails: what is not deleted grows without end.
  return createRounds(deps.clock, everyMs, async () => {
    for (const [what, deleteChunk] of Object.entries(deps.sweeps)) {
      try {
        await deleteAll(deleteChunk);
      } catch (error) {
        deps.log.warn('old rows could not be deleted; the next round tries again', { what, error });
      }
    }
  });
}
