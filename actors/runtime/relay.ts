import type { DurableMessage, MessageBus, PartitionBus } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { OutgoingMessage } from '../../infra/ports/partition-store.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { traceOf } from './trace-of.ts';

export interface RelayDeps {
  readonly messages: MessageBus;
  readonly bus: Pick<PartitionBus, 'connected'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** What waits here for the broker to come back; the sweeper finds the rest in the outbox. */
const waitingMax = 10_000;
const retryEveryMs = 500;
const atOnceMax = 256;

/** Sends outbox rows right after their commit, and again while the broker was away. */
export class Relay {
  readonly #deps: RelayDeps;
  #waiting: OutgoingMessage[] = [];
  #stopRetrying: (() => void) | undefined;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stopRetrying = this.#deps.clock.every(retryEveryMs, () => this.#retry());
  }

  stop(): void {
    this.#stopRetrying?.();
  }

  send(messages: readonly OutgoingMessage[]): void {
    for (const message of messages) void this.#publish(message);
  }

  async #publish(message: OutgoingMessage): Promise<void> {
    try {
      await publishTraced(this.#deps, { ...message, attempt: 0 });
    } catch (error) {
      const { log, telemetry } = this.#deps;
      telemetry.inTrace(traceOf(message.headers), () =>
        log.debug('message not sent yet', { msg_id: message.msgId, error }),
      );
      if (this.#waiting.length < waitingMax) this.#waiting.push(message);
    }
  }

  async #retry(): Promise<void> {
    while (this.#deps.bus.connected && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, atOnceMax);
      const left = this.#waiting.length;
      await Promise.all(batch.map((message) => this.#publish(message)));
      // Some came back: the broker is in trouble, and the rest can wait.
      if (this.#waiting.length > left) return;
    }
  }
}

export function publishTraced(
  { messages, telemetry }: Pick<RelayDeps, 'messages' | 'telemetry'>,
  message: DurableMessage,
): Promise<void> {
  const options = { kind: 'producer', parent: traceOf(message.headers) } as const;
  return telemetry.span('outbox publish', options, () => messages.publish(message));
}
