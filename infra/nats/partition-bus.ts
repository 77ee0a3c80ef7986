import { type NatsConnection, RequestError } from 'nats';
import type { PartitionBus } from '../ports/bus.ts';
import type { Logger } from '../ports/log.ts';
import { isOfOther, notOurs } from './installation.ts';
import type { OutageWatch } from './outage-watch.ts';
import { createSignals, drained } from './signals.ts';
import { encodeJson, readCommand } from './wire.ts';

export interface PartitionBusDeps {
  readonly connection: NatsConnection;
  readonly outages: OutageWatch;
  readonly log: Logger;
  /** Commands of another database are none of ours; any are taken unless told. */
  readonly genesis?: string;
}

/** Long for a loopback answer; a member that is silent for longer is left to its lease. */
const pingTimeoutMs = 300;

export function createPartitionBus(deps: PartitionBusDeps): PartitionBus {
  const { connection, outages } = deps;
  return {
    ...createSignals(connection),
    subscribeCommands: async (target, receive) => {
      // Plain, never a queue group: with a frozen former owner in the group, half of all requests
      // would go to it. Both may decide; the fence lets one of them commit.
      const subscription = connection.subscribe(`cmd.${target.kind}.${target.part}`, {
        callback: (error, message) => {
          if (error !== null) return deps.log.error('command subscription failed', { error });
          const command = readCommand(message);
          if (command === undefined) return;
          if (isOfOther(command.genesis, deps.genesis)) {
            message.respond(encodeJson(notOurs));
            return;
          }
          receive(command, {
            sizeBytes: message.data.length,
            answer: (reply) => void message.respond(encodeJson(reply)),
          });
        },
      });
      try {
        await connection.flush();
      } catch (error) {
        // The client would bring it back with the connection, and nobody could ever close it.
        subscription.unsubscribe();
        throw error;
      }
      return drained(subscription);
    },
    ping: (memberId) => ping(connection, memberId),
    answerPings: (memberId) =>
      drained(
        connection.subscribe(`sys.ping.${memberId}`, {
          callback: (error, message) => {
            if (error === null) message.respond();
          },
        }),
      ),
    onOutageEnd: (receive) => {
      const stop = outages.onEnd(receive);
      return { close: async () => stop() };
    },
    onNewBroker: (receive) => {
      const stop = outages.onNewBroker(receive);
      return { close: async () => stop() };
    },
    get connected() {
      return outages.connected;
    },
  };
}

async function ping(
  connection: NatsConnection,
  memberId: string,
): Promise<'alive' | 'silent' | 'absent'> {
  try {
    await connection.request(`sys.ping.${memberId}`, undefined, { timeout: pingTimeoutMs });
    return 'alive';
  } catch (error) {
    return error instanceof RequestError && error.isNoResponders() ? 'absent' : 'silent';
  }
}
