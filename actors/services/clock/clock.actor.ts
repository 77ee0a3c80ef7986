import type { Signals, Subscription } from '../../../infra/ports/bus.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import { type ClockStore, heardSignal, movedSignal } from '../../../infra/ports/clock-follower.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Handlers } from '../service-handler.ts';
import type { clockService } from './messages.ts';
import { type Step, stepClock } from './store.ts';

export interface ClockServiceDeps {
  readonly sql: Sql;
  readonly followers: Pick<ClockStore, 'report'>;
  readonly signals: Signals;
  readonly clock: Clock;
}

/** Well below what the broker's side waits for one answer. */
const driveMs = 1_000;
/** Messages are proved without a signal; a look takes about a millisecond. */
const lookAgainMs = 10;

/** Steps a simulated clock; any number of instances may, for each step looks and moves at once. */
export function createClockService(
  deps: ClockServiceDeps,
): Handlers<typeof clockService> & Subscription {
  const { clock, signals } = deps;
  const waiting = new Set<AbortController>();
  const heard = signals.onSignal(heardSignal, () => {
    for (const wait of waiting) wait.abort();
  });

  /** Armed before the step, so that nothing is missed between the two. */
  async function stepAndWait(targetMs: number, isFirst: boolean): Promise<Step> {
    const news = new AbortController();
    waiting.add(news);
    try {
      const step = await stepClock(deps.sql, targetMs);
      const { isNews, isDone, offsetUs, round } = step;
      // Nobody has heard yet of a question that came with the order.
      if (isNews || isFirst) signals.signal(movedSignal, { offsetUs, round });
      if (!isDone) await clock.sleep(lookAgainMs, news.signal);
      return step;
    } finally {
      waiting.delete(news);
    }
  }

  return {
    report: async (report) => await deps.followers.report(report),
    drive: async ({ targetMs }) => {
      const endMs = clock.monotonicMs() + driveMs;
      for (let isFirst = true; ; isFirst = false) {
        const { isDone, nowMs, waitsFor } = await stepAndWait(targetMs, isFirst);
        if (isDone || clock.monotonicMs() >= endMs) return { isDone, nowMs, waitsFor };
      }
    },
    close: () => heard.close(),
  };
}
