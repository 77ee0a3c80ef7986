import { clockService } from '../../actors/services/clock/messages.ts';
import { ClockFollower } from '../../infra/clock/clock-follower.ts';
import { randomId } from '../../infra/ids/ids.ts';
import type { CommandBus, Signals } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { DomainTime } from '../../infra/ports/clock-follower.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { readClock } from '../../infra/postgres/clock-store.ts';
import { isOutage, isRefusedLogin } from '../../infra/postgres/failure.ts';
import { requireRealClock } from '../require-real-clock.ts';
import { askService } from './ask-service.ts';

export interface DomainTimeDeps {
  /** Unique among the edges that run at one time. */
  readonly name: string;
  readonly sql: Sql;
  readonly bus: CommandBus;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The host's clock, on a database that goes by it. */
export function createRealTime({ sql, clock, log }: DomainTimeDeps): DomainTime & Service {
  return {
    nowMs: () => clock.nowMs(),
    offsetMs: () => 0,
    start: async () => {
      try {
        await requireRealClock(sql);
      } catch (error) {
        // An edge starts without its database, and a database that was moved has simulated coordinators.
        if (!isOutage(error) || isRefusedLogin(error)) throw error;
        log.warn('the clock of the database could not be looked at', { error });
      }
    },
    stop: async () => undefined,
  };
}

/** The host's clock, moved on with the database's. An edge writes nothing: a service reports for it. */
export function createSimulatedTime(deps: DomainTimeDeps): DomainTime & Service {
  const { name, sql, bus, signals, clock, log } = deps;
  const follower = new ClockFollower({
    process: name,
    store: {
      read: () => readClock(sql),
      report: (body) =>
        askService(bus, clockService, { type: 'report', body, id: randomId(), account: 'system' }),
    },
    ...{ signals, clock, log },
  });
  return {
    nowMs: () => clock.nowMs() + follower.offsetMs(),
    offsetMs: () => follower.offsetMs(),
    start: () => follower.start(),
    stop: () => follower.stop(),
  };
}

/** What is remembered of the domain grows old with it. */
export function agesOf(
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
  time: Pick<DomainTime, 'offsetMs'>,
): Pick<Clock, 'monotonicMs' | 'sleep'> {
  return {
    monotonicMs: () => clock.monotonicMs() + time.offsetMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
