import type { Clock } from '../../infra/ports/clock.ts';
import { LastCount, type LastCountDeps } from '../../infra/ports/last-count.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { GaugeName } from '../../infra/ports/metrics.ts';
import type { TelemetryAttributes } from '../../infra/ports/telemetry.ts';

interface Shown {
  readonly name: GaugeName;
  /** What was counted last; undefined where that tells nothing. */
  readonly read: () => number | undefined;
  readonly attributes?: TelemetryAttributes;
}

export interface CountedOptions extends LastCountDeps {
  readonly clock: Clock;
  readonly count: () => Promise<void>;
  readonly shown: readonly Shown[];
}

/** Counts something again and again, for an alarm; what could not be counted for long is not shown. */
export function createCounted(options: CountedOptions): Service {
  const { clock, everyMs, count, shown, telemetry } = options;
  const stops: (() => void)[] = [];
  const last = new LastCount(options);
  let counting: Promise<void> = Promise.resolve();
  return {
    start: async () => {
      stops.push(
        clock.every(everyMs, () => {
          counting = last.attempt(count);
          return counting;
        }),
        last.show(),
        ...shown.map(({ name, read, attributes }) =>
          telemetry.gauge(name, () => last.known(read()), attributes),
        ),
      );
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      await counting;
    },
  };
}
