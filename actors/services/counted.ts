import type { Clock } from '../../infra/ports/clock.ts';
import { LastCount, type LastCountDeps } from '../../infra/ports/last-count.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { GaugeName } from '../../infra/ports/metrics.ts';
import type { TelemetryAttributes } from '../../infra/ports/telemetry.ts';
import { createRounds } from './rounds.ts';

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
  const rounds = createRounds(clock, everyMs, () => last.attempt(count));
  return {
    start: async () => {
      stops.push(
        last.show(),
        ...shown.map(({ name, read, attributes }) =>
          telemetry.gauge(name, () => last.known(read()), attributes),
        ),
      );
      await rounds.start();
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      await rounds.stop();
    },
  };
}
