import type { Delivery, MessageBus, Subscription, Verdict } from '../../infra/ports/bus.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { PartitionStore } from '../../infra/ports/partition-store.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { deliveriesMax, parkedOf } from './inbox-consumer.ts';
import { traceOf } from './trace-of.ts';

export interface FactConsumerOptions {
  /** The inbox's consumer and the durable's name: `projector`. */
  readonly name: string;
  /** `fact.>` unless told. */
  readonly filter?: string;
  readonly messages: MessageBus;
  readonly store: Pick<PartitionStore, 'isOutage' | 'park'>;
  /**
   * Takes one fact. In one transaction it records the consumption under (kind, part, name, msgId)
   * and writes the effect; when it was recorded already it writes nothing. One at a time, in the
   * order of arrival, which is not always the order of the events: facts carry their own numbers.
   */
  readonly handle: (fact: Delivery) => Promise<void>;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

const ackWaitMs = 60_000;
const ackPendingMax = 1_024;

/** A consumer that is no partition: any process may run it, several share the work. */
export function createFactConsumer(options: FactConsumerOptions): Service {
  let subscription: Subscription | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (delivery: Delivery): Promise<Verdict> => {
    const turn = last.then(() => take(options, delivery));
    last = turn;
    return turn;
  };
  return {
    start: async () => {
      subscription ??= options.messages.consume(
        {
          stream: 'FACT',
          durable: `fact-${options.name}`,
          filter: options.filter ?? 'fact.>',
          ackWaitMs,
          maxAckPending: ackPendingMax,
        },
        inTurn,
      );
    },
    stop: async () => {
      await subscription?.close();
      subscription = undefined;
    },
  };
}

async function take(options: FactConsumerOptions, delivery: Delivery): Promise<Verdict> {
  const { handle, log, name, store, telemetry } = options;
  try {
    const span = { kind: 'consumer', parent: traceOf(delivery.headers) } as const;
    await telemetry.span(`fact ${delivery.subject}`, span, () => handle(delivery));
    return 'done';
  } catch (error) {
    const isPoison = delivery.deliveries >= deliveriesMax && !store.isOutage(error);
    log.warn('fact failed', { subject: delivery.subject, message: delivery.msgId, error });
    if (!isPoison) return 'later';
    try {
      await store.park(delivery, name, parkedOf(delivery, String(error)));
      return 'never';
    } catch (parkError) {
      log.warn('setting a fact aside failed', { message: delivery.msgId, error: parkError });
      return 'later';
    }
  }
}
