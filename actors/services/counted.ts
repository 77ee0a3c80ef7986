import type { Clock } from '../../infra/ports/clock.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';

export interface CountedOptions {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug'>;
  readonly everyMs: number;
  /** For the log, where it could not be counted. */
  readonly what: string;
  readonly count: () => Promise<void>;
  /** Shows what was counted last; answers how to end that. */
  readonly show: () => readonly (() => void)[];
}

/** Counts something again and again, for an alarm. One count that fails leaves what was shown. */
export function createCounted(options: CountedOptions): Service {
  const { clock, log, everyMs, what, count, show } = options;
  const stops: (() => void)[] = [];
  let counting: Promise<void> = Promise.resolve();
  const attempt = () =>
    count().catch((error: unknown) => log.debug(`${what} could not be counted`, { error }));
  return {
    start: async () => {
      stops.push(
        clock.every(everyMs, () => {
          counting = attempt();
          return counting;
        }),
        ...show(),
      );
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      await counting;
    },
  };
}
