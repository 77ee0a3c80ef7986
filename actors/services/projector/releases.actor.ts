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

export interface ReleaseDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  readonly signals: Signals;
  readonly terms: ReleaseTerms;
  readonly clock: Clock;
  readonly log: Logger;
}

const lookAgainMs = 1_000;
/** A race that is due may wait for its last runs to end. */
const waitMinMs = 20;

/**
 * Tells the public what time alone releases: code by its age, the runs of a race whose embargo is
 * over. Every coordinator looks; the feed's lock and its keys make each release one event.
 */
export function createReleases(deps: ReleaseDeps): Service {
  const stopping = new AbortController();
  let moved: Subscription | undefined;
  let running: Promise<void> = Promise.resolve();
  let nap = new AbortController();

  const run = async () => {
    let isTermsFollowed = false;
    while (!stopping.signal.aborted) {
      nap = new AbortController();
      let waitMs = lookAgainMs;
      try {
        if (!isTermsFollowed) await followTerms(deps.sql, deps.terms.codePrivateMs);
        isTermsFollowed = true;
        waitMs = await tellUntilNothingIsDue(deps);
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

/** Answers how long to wait before the next look. */
async function tellUntilNothingIsDue(deps: ReleaseDeps): Promise<number> {
  const { sql, transact, signals, log } = deps;
  for (;;) {
    const dueInMs = await msUntilRelease(sql);
    if (dueInMs === undefined) return lookAgainMs;
    if (dueInMs > 0) return Math.min(dueInMs, lookAgainMs);
    const { told, failed } = await transact(async (tx) => {
      await lockFeed(tx);
      return await tellDue(tx, log);
    });
    if (told > 0) signals.signal(publicEventsSignal, {});
    else if (failed === 0) return waitMinMs;
  }
}
