import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { nanos } from 'nats';
import type { ConsumerSource } from '../ports/bus.ts';
import { differences } from './differences.ts';

/** What a consumer keeps for life. */
const lasting = { ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All };
/** As partitions and fact consumers name theirs. */
const ours = /^(evt|fact)-/;
/** The broker's code for one of that name that is not as asked. */
const consumerAlreadyExists = 10_148;

function changeable(source: ConsumerSource) {
  return {
    filter_subject: source.filter,
    // No server back-off: it would replace ack_wait.
    ack_wait: nanos(source.ackWaitMs),
    max_ack_pending: source.maxAckPending,
    // For ever: after 20 tries the runtime sets a message aside itself, in the open.
    max_deliver: -1,
  };
}

/**
 * Makes the consumer, or changes the one that is there to what this version wants: it goes on where it
 * was. While two versions run side by side, whoever took the partition last has its way.
 */
export async function ensureConsumer(
  { consumers }: JetStreamManager,
  source: ConsumerSource,
): Promise<ConsumerInfo> {
  const wanted = { ...lasting, ...changeable(source) };
  const { stream, durable } = source;
  const found = await consumers
    .add(stream, { durable_name: durable, ...wanted })
    .catch(async (error: unknown) => {
      if (!isOfOtherSettings(error)) throw error;
      return await consumers.update(stream, durable, changeable(source));
    });
  requireWanted(wanted, found);
  return found;
}

function isOfOtherSettings(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === consumerAlreadyExists;
}

/** Throws where a consumer of ours has to be made anew, which is for a person to decide. */
export async function requireLasting(manager: JetStreamManager, stream: string): Promise<void> {
  for await (const found of manager.consumers.list(stream)) {
    if (ours.test(found.name)) requireWanted(lasting, found);
  }
}

function requireWanted(wanted: Partial<ConsumerConfig>, found: ConsumerInfo): void {
  const differing = differences(wanted, found.config);
  if (differing.length === 0) return;
  throw new Error(
    `consumer ${found.name} of ${found.stream_name}: ${differing.join('; ')}. What the broker does not ` +
      'change stays for life: delete it, and it is made again. It then delivers what the stream still ' +
      'has once more, of which nothing counts twice',
  );
}
