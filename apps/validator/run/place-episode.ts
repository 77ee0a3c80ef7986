import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { PaddockClient } from '../../cli/client/paddock.generated.ts';
import type { EpisodeDelivery } from '../delivery/delivery.ts';
import { presignEpisode, putEpisode } from '../delivery/send-delivery.ts';
import { whileHeld } from './while-held.ts';

export interface Placing {
  readonly api: PaddockClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the run is lost or is to be given back. */
  readonly signal: AbortSignal;
}

export interface Placed {
  /** Null where the service takes no episode like this one. */
  readonly uri: string | null;
  /** What the store did not take, to be sent until it does. */
  readonly left?: EpisodeDelivery;
}

/**
 * Where the whole episode lies, or will lie: its place follows from its content, so the result need not
 * wait for a store that is away. A service that is away is waited for as long as the run is held, since
 * nothing else of the run could be told to it either.
 */
export async function placeEpisode(episode: EpisodeDelivery, deps: Placing): Promise<Placed> {
  const { log, signal } = deps;
  const target = await presigned(episode, deps);
  if (target === undefined) return { uri: null };
  try {
    await putEpisode(target.url, episode, deps);
    return { uri: target.uri };
  } catch (error) {
    signal.throwIfAborted();
    log.warn('an episode is sent again later', { eval_run_id: episode.evalRunId, error });
    return { uri: target.uri, left: episode };
  }
}

async function presigned(episode: EpisodeDelivery, { api, clock, log, signal }: Placing) {
  try {
    return await whileHeld(() => presignEpisode(api, episode, signal), { clock, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.warn('an episode is not taken', { eval_run_id: episode.evalRunId, error });
    return undefined;
  }
}
