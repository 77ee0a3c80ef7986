import type { PartitionBus } from '../../infra/ports/bus.ts';

/** A bus that is connected and on which nothing is said but what a test lets it hear. */
export function edgeSignals() {
  let receive: (body: unknown) => void = () => undefined;
  const subscription = { close: async () => undefined };
  const bus = {
    connected: true,
    onSignal: (_name: string, on: (body: unknown) => void) => {
      receive = on;
      return subscription;
    },
    onOutageEnd: () => subscription,
  } as unknown as PartitionBus;
  return { bus, hear: (body: unknown) => receive(body) };
}
