import type { CommandBus } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import { Fault, type FaultCode } from '../../machines/fault.ts';

/** How long it is remembered that writes came to nothing. */
const rememberedMs = 10_000;
/** One alone may have been a single secret, or a single owner, in trouble. */
const failuresMin = 2;

const outages: ReadonlySet<FaultCode> = new Set(['OWNER_UNAVAILABLE', 'STORE_UNAVAILABLE']);

/**
 * What became of the last writes of this edge: a disk can be full, or a lock be held for ever, while
 * every neighbour answers what it is asked. Heartbeats do not count, for most are written nowhere.
 */
export class WriteOutcomes {
  readonly #clock: Clock;
  #failures = 0;
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isFailing(): boolean {
    return (
      this.#failures >= failuresMin && this.#clock.monotonicMs() - this.#failedMs < rememberedMs
    );
  }

  /** The same bus, listened to. */
  watched(bus: CommandBus): CommandBus {
    const watch = async (type: string, answer: Promise<unknown>) => {
      try {
        const body = await answer;
        if (type !== 'heartbeat') this.#failures = 0;
        return body;
      } catch (error) {
        this.#failed(error);
        throw error;
      }
    };
    return {
      ...bus,
      command: (target, command, budget) =>
        watch(command.type, bus.command(target, command, budget)),
      call: (service, request, budget) => watch(request.type, bus.call(service, request, budget)),
    };
  }

  #failed(error: unknown): void {
    if (!(error instanceof Fault && outages.has(error.code))) {
      if (error instanceof Fault && error.code !== 'OUTCOME_UNKNOWN') this.#failures = 0;
      return;
    }
    this.#failures += 1;
    this.#failedMs = this.#clock.monotonicMs();
  }
}
