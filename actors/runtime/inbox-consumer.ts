import type {
  Delivery,
  MessageBus,
  Subscription,
  Verdict,
  WireReply,
} from '../../infra/ports/bus.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ParkedMessage, PartitionRef } from '../../infra/ports/partition-store.ts';
import { causeOf, isDefect, isFinal } from './answers.ts';
import type { Command } from './partition-actor.ts';
import { traceOf } from './trace-of.ts';

export interface InboxConsumerOptions {
  readonly ref: PartitionRef;
  readonly messages: MessageBus;
  readonly ackWaitMs: number;
  readonly decide: (command: Command) => Promise<WireReply>;
  readonly park: (message: ParkedMessage) => Promise<void>;
  readonly log: Logger;
}

/** Tries of a message that fails for a reason of its own, before it is set aside. */
export const deliveriesMax = 20;
/** Bounds what comes again after a takeover: `rt.claim` makes as many due for whoever takes over. */
const ackPendingMax = 256;

/**
 * Durable messages of other actors. Each is decided like a command whose id is the message's, and
 * acknowledged when the decision is committed; a repeat meets the inbox.
 */
export function consumeInbox(options: InboxConsumerOptions): Subscription {
  const { kind, part } = options.ref;
  const source = {
    stream: 'EVT',
    durable: `evt-${kind}-${part}`,
    filter: `evt.${kind}.${part}.>`,
    ackWaitMs: options.ackWaitMs,
    maxAckPending: ackPendingMax,
  } as const;
  return options.messages.consume(source, (delivery) => take(options, delivery));
}

async function take(options: InboxConsumerOptions, delivery: Delivery): Promise<Verdict> {
  const reply = await options.decide(commandOf(delivery));
  if (isFinal(reply)) return 'done';
  // Only a defect is parked. A message that met an outage twenty times is as good as ever.
  if (!isDefect(reply) || delivery.deliveries < deliveriesMax) return 'later';
  try {
    await options.park(parkedOf(delivery, causeOf(reply)));
    options.log.error('message set aside', { subject: delivery.subject, msg_id: delivery.msgId });
    return 'never';
  } catch (error) {
    options.log.warn('setting a message aside failed', { msg_id: delivery.msgId, error });
    return 'later';
  }
}

function commandOf(delivery: Delivery): Command {
  return {
    id: delivery.msgId,
    type: delivery.subject.split('.').slice(3).join('.'),
    body: delivery.body,
    account: 'system',
    trace: traceOf(delivery.headers),
  };
}

export function parkedOf(delivery: Delivery, cause: unknown): ParkedMessage {
  const { msgId, subject, headers } = delivery;
  return {
    msgId,
    subject,
    headers,
    body: JSON.stringify(delivery.body ?? null),
    error: String(cause),
  };
}
