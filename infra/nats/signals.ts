import type { NatsConnection } from 'nats';
import type { Signals, Subscription } from '../ports/bus.ts';
import { encodeJson, readJson } from './wire.ts';

export function createSignals(connection: NatsConnection): Signals {
  return {
    signal: (name, body) => {
      if (!connection.isClosed()) connection.publish(`sys.${name}`, encodeJson(body));
    },
    onSignal: (name, receive) =>
      drained(
        connection.subscribe(`sys.${name}`, {
          callback: (error, message) => {
            if (error === null) receive(readJson(message));
          },
        }),
      ),
  };
}

export function drained(subscription: ReturnType<NatsConnection['subscribe']>): Subscription {
  return {
    close: async () => {
      // Without a broker there is nobody to take leave of.
      if (!subscription.isClosed()) await subscription.drain().catch(() => undefined);
    },
  };
}
