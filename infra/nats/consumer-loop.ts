import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { ConsumerSource, Delivery, Subscription, Verdict } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/log.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { backoffMs } from './jitter.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { Sharing } from './sharing.ts';
import { readJson, recordOf } from './wire.ts';

export interface ConsumerLoopOptions {
  readonly source: ConsumerSource;
  readonly open: () => Promise<Consumer>;
  readonly handle: (message: Delivery) => Promise<Verdict>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outages: OutageWatch;
  readonly sharing: Pick<Sharing, 'isTaking' | 'onChange'>;
  readonly silenceMs: number;
  readonly telemetry: Pick<Telemetry, 'inTrace'>;
}

/** A message that could not be handled now comes back after this for each time it was delivered. */
const retryStepMs = 1_000;
const retryMaxMs = 30_000;
/** How often one that leaves its work to others looks whether it may go on. */
const lookEveryMs = 100;

/**
 * Pulls until closed. Consumers of this client have fallen silent after reconnects, and a broker may
 * come back without its store, so whatever happens (a terminal error, a reconnect, missed
 * heartbeats) the loop begins again from making sure that stream and consumer exist.
 */
export class ConsumerLoop implements Subscription {
  readonly #options: ConsumerLoopOptions;
  readonly #stop = new AbortController();
  readonly #handling = new Set<Promise<void>>();
  #messages: ConsumerMessages | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ConsumerLoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#messages?.stop();
    await this.#running;
    await Promise.all(this.#handling);
  }

  async #run(): Promise<void> {
    const { clock, log, source, outages, sharing } = this.#options;
    const unwatch = outages.onReconnect(() => this.#messages?.stop());
    const unfollow = sharing.onChange(() => {
      if (!sharing.isTaking) this.#messages?.stop();
    });
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        if (sharing.isTaking) await this.#pull();
        else await clock.sleep(lookEveryMs, this.#stop.signal);
        failures = 0;
      } catch (error) {
        failures += 1;
        log.warn('consumer starts over', { durable: source.durable, error });
      }
      if (failures > 0) await clock.sleep(backoffMs(failures, 100, 2_000), this.#stop.signal);
    }
    unwatch();
    unfollow();
  }

  async #pull(): Promise<void> {
    const { silenceMs, open, sharing } = this.#options;
    const consumer = await open();
    if (this.#stop.signal.aborted) return;
    const messages = await consumer.consume({
      max_messages: 64,
      expires: silenceMs,
      // Two missed ones count as silence.
      idle_heartbeat: silenceMs / 2,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    void this.#watch(messages);
    // It may have been left while the broker was asked.
    if (!sharing.isTaking) messages.stop();
    for await (const message of messages) {
      const work = this.#deliver(message);
      this.#handling.add(work);
      void work.finally(() => this.#handling.delete(work));
    }
  }

  async #watch(messages: ConsumerMessages): Promise<void> {
    for await (const status of messages.status()) {
      if (status.type === 'heartbeats_missed' || status.type === 'no_responders') messages.stop();
    }
  }

  #deliver(message: JsMsg): Promise<void> {
    const trace = recordOf(message.headers);
    return this.#options.telemetry.inTrace(trace, () => this.#settle(message));
  }

  async #settle(message: JsMsg): Promise<void> {
    try {
      const verdict = await this.#options.handle(deliveryOf(message));
      if (verdict === 'done') message.ack();
      else if (verdict === 'never') message.term();
      else message.nak(Math.min(retryStepMs * message.info.deliveryCount, retryMaxMs));
    } catch (error) {
      this.#options.log.error('message handler failed', { subject: message.subject, error });
    }
  }
}

function deliveryOf(message: JsMsg): Delivery {
  const headers = recordOf(message.headers);
  return {
    msgId: headers['x-msg-id'] ?? `${message.info.stream}:${message.seq}`,
    subject: message.subject,
    kind: headers['x-kind'] ?? '',
    part: Number(headers['x-part'] ?? -1),
    headers,
    body: readJson(message),
    deliveries: message.info.deliveryCount,
  };
}
