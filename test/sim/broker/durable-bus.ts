import type { Sharing } from '../../../infra/nats/sharing.ts';
import type { MessageBus, Verdict } from '../../../infra/ports/bus.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { Broker } from './broker.ts';
import type { BrokerConnection } from './broker-connection.ts';
import type { DurableStore, Puller } from './durable-store.ts';

/** After this without an answer of the broker a publish has failed. */
const publishTimeoutMs = 5_000;
/** How often a consumer makes sure that the broker still knows it. */
const lookMs = 2_000;

/** The port to durable messages of one process, over the virtual broker's disk. */
export function createDurableBus(deps: {
  readonly broker: Broker;
  readonly store: DurableStore;
  readonly connection: BrokerConnection;
  readonly process: SimProcess;
  readonly sharing: Pick<Sharing, 'isTaking'>;
  readonly onPublished: (process: SimProcess) => void;
}): MessageBus {
  const { broker, store, connection, process, sharing, onPublished } = deps;
  const looks = new Set<() => void>();
  process.clock.every(lookMs, () => {
    for (const look of looks) look();
  });
  return {
    publish: (message) =>
      new Promise((resolve, reject) => {
        let isOver = false;
        const end = (settle: () => void) => {
          if (isOver) return;
          isOver = true;
          cancel();
          settle();
        };
        const cancel = process.resume(publishTimeoutMs, 'publish times out', () =>
          end(() => reject(new Error('no answer from the broker'))),
        );
        process.kernel.after(
          broker.latencyMs(),
          `${process.name} stores ${message.subject}`,
          () => {
            if (!broker.isUp || !connection.isConnected) return;
            const isStored = store.store(message);
            onPublished(process);
            // As infra/nats does it: the next one finds the streams again.
            if (!isStored) store.ensureStreams();
            process.resume(broker.latencyMs(), 'stored', () =>
              end(() => (isStored ? resolve() : reject(new Error('no stream')))),
            );
          },
        );
      }),
    consume: (source, handle) => {
      const running = new Set<Promise<Verdict>>();
      let isClosed = false;
      const puller: Puller = {
        process,
        connection,
        handle: (delivery) => {
          if (isClosed) return new Promise(() => undefined);
          const work = handle(delivery);
          running.add(work);
          return work.finally(() => running.delete(work));
        },
      };
      const look = () => {
        if (isClosed || !broker.isUp || !connection.isConnected) return;
        if (!sharing.isTaking) return store.leave(source.durable, puller);
        store.ensureStreams();
        if (!store.hasPuller(source.durable, puller)) store.pull(source, puller);
      };
      looks.add(look);
      process.resume(broker.latencyMs(), `pulls ${source.durable}`, look);
      process.onKill(() => store.leave(source.durable, puller));
      return {
        close: async () => {
          isClosed = true;
          looks.delete(look);
          store.leave(source.durable, puller);
          await Promise.all(running);
        },
      };
    },
  };
}
