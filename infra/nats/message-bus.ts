import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from 'nats';
import type { Delivery, DurableMessage, MessageBus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/log.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { ConsumerLoop } from './consumer-loop.ts';
import { ensureConsumer } from './consumers.ts';
import { isOfOther } from './installation.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { Sharing } from './sharing.ts';
import { encodeJson, headersOf } from './wire.ts';

export interface MessageBusDeps {
  readonly connection: NatsConnection;
  readonly outages: OutageWatch;
  readonly sharing: Sharing;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Pick<Telemetry, 'inTrace'>;
  /**
   * Of the database's history (infra/decisions/0039). What a lost branch has sent tells of things that
   * never were: it is taken and forgotten. What is still to be said is in the outbox, and sent again.
   */
  readonly branch: number;
  /** Of the database: messages of another one are forgotten as well, and none where it is not told. */
  readonly genesis?: string;
  /** Makes the streams again when the broker has lost them. */
  readonly ensureStreams: () => Promise<void>;
  /** Silence from the broker after which pulling starts over; 30 s unless told. */
  readonly silenceMs?: number;
}

const publishTimeoutMs = 5_000;

export async function createMessageBus(deps: MessageBusDeps): Promise<MessageBus> {
  const manager = await jetstreamManager(deps.connection, { checkAPI: false });
  const client = jetstream(deps.connection, { timeout: publishTimeoutMs });
  const streams = singleFlight(deps.ensureStreams);
  return {
    publish: async (message) => {
      try {
        await publish(client, message, deps);
      } catch (error) {
        // A publish to a subject without a stream meets nobody: the broker may have lost it.
        if (deps.outages.connected) await streams();
        throw error;
      }
    },
    consume: (source, handleOwn) => {
      const handle = async (message: Delivery) =>
        isForgotten(message, deps) ? 'done' : await handleOwn(message);
      const open = async () => {
        await streams();
        return client.consumers.getConsumerFromInfo(await ensureConsumer(manager, source));
      };
      const silenceMs = deps.silenceMs ?? 30_000;
      const { clock, log, outages, sharing, telemetry } = deps;
      const by = { clock, log, outages, sharing, telemetry };
      const loop = new ConsumerLoop({ source, open, handle, ...by, silenceMs });
      loop.start();
      return loop;
    },
  };
}

async function publish(
  client: JetStreamClient,
  message: DurableMessage,
  { branch, genesis }: From,
): Promise<void> {
  await client.publish(message.subject, encodeJson(message.body), {
    // Not the message's own id: brokers have kept ids of messages that they never stored, and then
    // called every repeat a duplicate.
    msgID: `${message.msgId}:${branch}.${message.attempt}`,
    headers: headersOf({
      ...message.headers,
      'x-msg-id': message.msgId,
      'x-branch': String(branch),
      ...(genesis !== undefined && { 'x-genesis': genesis }),
    }),
    timeout: publishTimeoutMs,
  });
}

type From = Pick<MessageBusDeps, 'branch' | 'genesis'>;

function isForgotten(message: Delivery, { branch, genesis }: From): boolean {
  return branchOf(message) < branch || isOfOther(message.headers['x-genesis'], genesis);
}

/** Messages from before there were branches are of the first one. */
function branchOf({ headers }: Delivery): number {
  return Number(headers['x-branch'] ?? 0);
}

/** Calls that come while one runs share it. Whoever finds a stream missing even then tries again. */
function singleFlight(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
