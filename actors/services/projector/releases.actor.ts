import type { Signals, Subscription } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { movedSignal } from '../../../infra/ports/clock-follower.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Transact } from '../service-handler.ts';
import { publicEventsSignal } from './messages.ts';
import type { ReleaseTerms } from './project-fact.ts';
import { followTerms, lockFeed, msUntilRelease } from './store.ts';
import { tellDue } from './tell-due.ts';
import { createRaceTeller, type RaceTeller } from './tell-race.ts';

export interface ReleaseDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  readonly signals: Signals;
  readonly terms: ReleaseTerms;
  readonly clock: Clock;
  readonly log: Logger;
}

const lookAgainMs = 1_000;
/**
 * What is due may wait for another: a race for its last runs to end, which takes a moment, the code of a new
 * top for the news of it, which an operator may have to send again. Each look in vain doubles the pause.
 */
const pauseMinMs = 20;

/**
 * Tells the public what time alone releases: code by its age, the runs of a race whose embargo is
 * over. Every coordinator looks; the feed's lock and its keys make each release one event.
 */
export function createReleases(deps: ReleaseDeps): Service {
  const stopping = new AbortController();
  const races = createRaceTeller(deps);
  let moved: Subscription | undefined;
  let running: Promise<void> = Promise.resolve();
  let nap = new AbortController();

  const run = async () => {
    let isTermsFollowed = false;
    let pauseMs = pauseMinMs;
    while (!stopping.signal.aborted) {
      nap = new AbortController();
      let waitMs = lookAgainMs;
      try {
        if (!isTermsFollowed) await followTerms(deps.sql, deps.terms.codePrivateMs);
        isTermsFollowed = true;
        const look = await tellWhatIsDue(deps, { races, pauseMs, stopping: stopping.signal });
        waitMs = look.waitMs;
        pauseMs = look.isInVain ? Math.min(2 * waitMs, lookAgainMs) : pauseMinMs;
      } catch (error) {
        deps.log.warn('releases could not be told; the next look tries again', { error });
      }
      await deps.clock.sleep(waitMs, AbortSignal.any([nap.signal, stopping.signal]));
    }
  };
  return {
    start: async () => {
      // A simulated clock stops where a release is due, and waits until it is told.
      moved = deps.signals.onSignal(movedSignal, () => nap.abort());
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await moved?.close();
      await running;
    },
  };
}

/** How long to wait before the next look, and whether what is due could not be told. */
interface Look {
  readonly waitMs: number;
  readonly isInVain: boolean;
}

async function tellWhatIsDue(
  deps: ReleaseDeps,
  { races, pauseMs, stopping }: { races: RaceTeller; pauseMs: number; stopping: AbortSignal },
): Promise<Look> {
  const { sql, signals } = deps;
  let waitMs = pauseMs;
  while (!stopping.aborted) {
    const dueInMs = await msUntilRelease(sql);
    if (dueInMs === undefined) return { waitMs: lookAgainMs, isInVain: false };
    if (dueInMs > 0) return { waitMs: Math.min(dueInMs, lookAgainMs), isInVain: false };
    const { told, failed } = await tellSome(deps, races);
    if (told === 0 && failed === 0) return { waitMs, isInVain: true };
    if (told === 0) continue;
    signals.signal(publicEventsSignal, {});
    waitMs = pauseMinMs;
  }
  return { waitMs, isInVain: false };
}

/** The code that is due, then some of a race: of many runs it takes a while, for which no code waits. */
async function tellSome(
  deps: ReleaseDeps,
  races: RaceTeller,
): Promise<{ readonly told: number; readonly failed: number }> {
  const code = await deps.transact(async (tx) => {
    await lockFeed(tx);
    return await tellDue(tx, deps.log);
  });
  const race = await races.tellSome();
  return {
    told: code.told + (race === 'told' || race === 'under way' ? 1 : 0),
    failed: code.failed + (race === 'failed' ? 1 : 0),
  };
}
