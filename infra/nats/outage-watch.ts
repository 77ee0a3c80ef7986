import type { NatsConnection } from 'nats';
import type { Clock } from '../ports/clock.ts';
import { pingIntervalMs, pingsOutMax } from './connect.ts';

/** Watches one connection: is there a broker, and how long was there none? */
export class OutageWatch {
  connected = true;
  readonly #clock: Clock;
  readonly #onEnd = new Set<(outageMs: number) => void>();
  readonly #onReconnect = new Set<() => void>();
  readonly #onNewBroker = new Set<() => void>();
  /** Each start of a server gives it a new one. */
  #serverId: string | undefined;
  #lostAtMs = 0;
  #unnoticedMs = 0;

  constructor(connection: NatsConnection, clock: Clock) {
    this.#clock = clock;
    this.#serverId = connection.info?.server_id;
    void this.#watch(connection);
  }

  onEnd(receive: (outageMs: number) => void): () => void {
    this.#onEnd.add(receive);
    return () => this.#onEnd.delete(receive);
  }

  onReconnect(receive: () => void): () => void {
    this.#onReconnect.add(receive);
    return () => this.#onReconnect.delete(receive);
  }

  onNewBroker(receive: () => void): () => void {
    this.#onNewBroker.add(receive);
    return () => this.#onNewBroker.delete(receive);
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      // A frozen broker is noticed by unanswered pings only: it had been gone that much longer.
      if (status.type === 'staleConnection') this.#unnoticedMs = pingIntervalMs * (pingsOutMax + 1);
      if (status.type === 'disconnect') this.#lost();
      if (status.type === 'reconnect') this.#found(connection.info?.server_id);
    }
  }

  #lost(): void {
    if (!this.connected) return;
    this.connected = false;
    this.#lostAtMs = this.#clock.monotonicMs();
  }

  #found(serverId: string | undefined): void {
    for (const receive of this.#onReconnect) receive();
    if (serverId !== this.#serverId) for (const receive of this.#onNewBroker) receive();
    this.#serverId = serverId;
    if (this.connected) return;
    this.connected = true;
    const outageMs = this.#clock.monotonicMs() - this.#lostAtMs + this.#unnoticedMs;
    this.#unnoticedMs = 0;
    for (const receive of this.#onEnd) receive(outageMs);
  }
}
