import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from 'nats';
import type { Clock } from '../ports/clock.ts';
import { LastCount } from '../ports/last-count.ts';
import type { Service } from '../ports/lifecycle.ts';
import type { Logger } from '../ports/log.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { requireOwnStream, wantedStreams } from './streams.ts';

export interface StreamWatchDeps {
  readonly connection: NatsConnection;
  /** See StreamOptions. */
  readonly genesis?: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly telemetry: Pick<Telemetry, 'gauge'>;
}

/** Streams fill over hours, and each look asks the broker once for each of them. */
const everyMs = 60_000;
/**
 * Of the limit. Streams keep what everybody has taken, too, for three days, so more messages than were
 * reckoned with are enough to fill one. A full one takes nothing more, and what is said waits in the
 * outbox until the oldest is three days old.
 */
const tellAbove = 0.6;

/** Tells how full the streams are: every coordinator, since one alone could be cut off. */
export function createStreamWatch(deps: StreamWatchDeps): Service {
  const { clock, connection, log, telemetry } = deps;
  const fills = new Map(wantedStreams({ replicas: 1 }).map(({ name }) => [name, 0]));
  const stops: (() => void)[] = [];
  let looking: Promise<void> = Promise.resolve();
  const last = new LastCount({ clock, log, telemetry, everyMs, what: 'streams' });
  const look = async () => {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    for (const [stream, before] of fills) {
      const fill = await fillOf(manager, stream, deps);
      fills.set(stream, fill);
      tell(log, { stream, before, fill });
    }
  };
  // One after the other: what an earlier look found must not stand in the place of a later one's.
  const lookNow = () => {
    looking = looking.then(() => last.attempt(look));
    return looking;
  };
  return {
    start: async () => {
      stops.push(
        clock.every(everyMs, lookNow),
        last.show(),
        ...[...fills.keys()].map((stream) =>
          telemetry.gauge('paddock.stream.fill', () => last.known(fills.get(stream) ?? 0), {
            stream,
          }),
        ),
      );
      // Nobody waits for it: a broker that is away must not hold up a start.
      void lookNow();
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      await looking;
    },
  };
}

async function fillOf(
  manager: JetStreamManager,
  stream: string,
  whose: Pick<StreamWatchDeps, 'genesis'>,
): Promise<number> {
  const { config, state } = await manager.streams.info(stream);
  // Of a broker that was replaced under us. It is said, and commands go on: they tell whose they are.
  requireOwnStream(config, whose);
  return state.bytes / config.max_bytes;
}

interface Look {
  readonly stream: string;
  readonly before: number;
  readonly fill: number;
}

function tell(log: StreamWatchDeps['log'], { stream, before, fill }: Look): void {
  const told = { stream, percent: Math.floor(fill * 100) };
  if (fill > tellAbove && before <= tellAbove) log.warn('a stream fills up', told);
  if (fill <= tellAbove && before > tellAbove) log.info('a stream has room again', told);
}
