import type { NatsConnection } from 'nats';
import type { Clock } from '../ports/clock.ts';
import type { Service } from '../ports/lifecycle.ts';
import { encodeJson } from './wire.ts';

/** Several within the silence that hosts take for an outage. */
const everyMs = 1_000;

/** Tells hosts that heartbeats can reach them through this edge, and says goodbye. */
export function createEdgeBeacon(deps: {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  /** Unique among the edges that run at one time. */
  readonly name: string;
}): Service {
  const { connection, clock, name } = deps;
  let stopTicking: (() => void) | undefined;
  const tell = (isLeaving: boolean) => {
    if (!connection.isClosed()) connection.publish('sys.edge', encodeJson({ name, isLeaving }));
  };
  return {
    start: async () => {
      tell(false);
      stopTicking ??= clock.every(everyMs, () => tell(false));
    },
    stop: async () => {
      stopTicking?.();
      tell(true);
    },
  };
}
