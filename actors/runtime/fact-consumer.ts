import type { Delivery, MessageBus, Subscription, Verdict } from '../../infra/ports/bus.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { PartitionStore } from '../../infra/ports/partition-store.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { deliveriesMax, parkedOf } from './inbox-consumer.ts';
import { causesOf, traceOf } from './trace-of.ts';

export interface FactConsumerOptions {
  /** The inbox's consumer and the durable's name: `projector`. */
  readonly name: string;
  /** `fact.>` unless told. */
  readonly filter?: string;
  readonly messages: MessageBus;
  readonly store: Pick<PartitionStore, 'isOutage' | 'park'>;
  /**
   * Takes facts. In one transaction it records the consumption of each under (kind, part, name,
   * msgId) and writes its effect; of those that were recorded already it writes nothing. One call at
   * a time, in the order of arrival, which is not always the order of the events: facts carry their
   * own numbers. When several fail together each is given again by itself.
   */
  readonly handle: (facts: readonly Delivery[]) => Promise<void>;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

const ackWaitMs = 60_000;
const ackPendingMax = 1_024;
/** What came while a transaction ran goes into the next one together. */
const factsPerBatch = 100;

interface Waiting {
  readonly delivery: Delivery;
  readonly settle: (verdict: Verdict) => void;
}

/** A consumer that is no partition: any process may run it, several share the work. */
export function createFactConsumer(options: FactConsumerOptions): Service {
  let subscription: Subscription | undefined;
  let isTaking = false;
  const waiting: Waiting[] = [];
  const takeAll = async () => {
    if (isTaking) return;
    isTaking = true;
    while (waiting.length > 0) await takeBatch(options, waiting.splice(0, factsPerBatch));
    isTaking = false;
  };
  const inTurn = (delivery: Delivery) =>
    new Promise<Verdict>((settle) => {
      waiting.push({ delivery, settle });
      // Of no trace: whoever came first is not behind all that come meanwhile.
      void options.telemetry.inTrace({}, takeAll);
    });
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

/** Never rejects. */
async function takeBatch(options: FactConsumerOptions, batch: readonly Waiting[]): Promise<void> {
  try {
    await handled(
      options,
      batch.map(({ delivery }) => delivery),
    );
    for (const { settle } of batch) settle('done');
  } catch (error) {
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) {
      const { delivery, settle } = only;
      const judge = () => verdictOn(options, delivery, error);
      settle(await options.telemetry.inTrace(traceOf(delivery.headers), judge));
    } else {
      for (const each of batch) await takeBatch(options, [each]);
    }
  }
}

async function handled(
  { handle, name, telemetry }: FactConsumerOptions,
  facts: readonly Delivery[],
): Promise<void> {
  const [first, ...others] = facts;
  if (first === undefined) return;
  const what = others.length === 0 ? `fact ${first.subject}` : `facts of ${name}`;
  const causes = causesOf(facts.map(({ headers }) => traceOf(headers)));
  const attributes = { consumer: name, facts: facts.length };
  const span = { kind: 'consumer', ...causes, attributes } as const;
  await telemetry.span(what, span, () => handle(facts));
}

async function verdictOn(
  { log, name, store }: FactConsumerOptions,
  delivery: Delivery,
  error: unknown,
): Promise<Verdict> {
  const isPoison = delivery.deliveries >= deliveriesMax && !store.isOutage(error);
  log.warn('fact failed', { subject: delivery.subject, msg_id: delivery.msgId, error });
  if (!isPoison) return 'later';
  try {
    await store.park(delivery, name, parkedOf(delivery, error));
    return 'never';
  } catch (parkError) {
    log.warn('setting a fact aside failed', { msg_id: delivery.msgId, error: parkError });
    return 'later';
  }
}
