import type {
  ConsumerSource,
  Delivery,
  DurableMessage,
  Verdict,
} from '../../../infra/ports/bus.ts';
import type { Cancel } from '../kernel/kernel.ts';
import type { Prng } from '../kernel/prng.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import { streamKeepsMs } from '../oracle/stream-witness.ts';
import { type Broker, matches } from './broker.ts';
import type { BrokerConnection } from './broker-connection.ts';

interface Stored {
  readonly seq: number;
  readonly atMs: number;
  readonly message: DurableMessage;
}

/** A process that pulls for a durable consumer. */
export interface Puller {
  readonly process: SimProcess;
  readonly connection: BrokerConnection;
  handle(delivery: Delivery): Promise<Verdict>;
}

interface Durable {
  readonly source: ConsumerSource;
  readonly pullers: Set<Puller>;
  /** Deliveries so far, of what is not settled. */
  readonly open: Map<number, { deliveries: number; cancel: Cancel }>;
  readonly settled: Set<number>;
}

export interface DurableWeather {
  /** Whether a message comes once more though it was acknowledged. */
  repeats(): boolean;
}

const dedupeWindowMs = 120_000;
const retryStepMs = 1_000;
const factPullMs = 1_200;

/**
 * The broker's disk: streams EVT and FACT, read by durable consumers, each message until it is
 * acknowledged. Delivers late, again and in any order, and can lose everything at once.
 */
export class DurableStore {
  readonly #broker: Broker;
  readonly #weather: DurableWeather;
  readonly #random: Prng;
  readonly #onStored: (message: DurableMessage, atMs: number) => void;
  #messages: Stored[] = [];
  #durables = new Map<string, Durable>();
  #recent = new Map<string, number>();
  #seq = 0;
  #hasStreams = true;
  redeliveries = 0;

  constructor(
    broker: Broker,
    weather: DurableWeather,
    onStored: (message: DurableMessage, atMs: number) => void = () => undefined,
  ) {
    this.#broker = broker;
    this.#weather = weather;
    this.#onStored = onStored;
    this.#random = broker.kernel.randomFor('durable store');
  }

  get size(): number {
    return this.#messages.length;
  }

  /** Deliveries that are under way: to whoever reads, and not settled. */
  get openCount(): number {
    return [...this.#durables.values()].reduce((sum, { open }) => sum + open.size, 0);
  }

  /** Everything that is not acknowledged by every consumer, and everything that is. */
  wipe(): void {
    for (const durable of this.#durables.values()) {
      for (const { cancel } of durable.open.values()) cancel();
    }
    this.#messages = [];
    this.#durables = new Map();
    this.#recent = new Map();
    this.#hasStreams = false;
  }

  ensureStreams(): void {
    this.#hasStreams = true;
  }

  /** False where there is no stream to keep it. */
  store(message: DurableMessage): boolean {
    if (!this.#hasStreams) return false;
    const { nowMs, domainNowMs } = this.#broker.kernel;
    const transportId = `${message.msgId}:${message.attempt}`;
    if (nowMs - (this.#recent.get(transportId) ?? Number.NEGATIVE_INFINITY) < dedupeWindowMs) {
      return true;
    }
    this.#recent.set(transportId, nowMs);
    this.#seq += 1;
    // By the domain's clock, like the inbox's memory: a jump lets both forget.
    this.#messages = this.#messages.filter(({ atMs }) => domainNowMs - atMs < streamKeepsMs);
    const stored = { seq: this.#seq, atMs: domainNowMs, message };
    this.#messages.push(stored);
    this.#onStored(message, domainNowMs);
    for (const durable of this.#durables.values()) this.#offer(durable, stored);
    return true;
  }

  pull(source: ConsumerSource, puller: Puller): void {
    let durable = this.#durables.get(source.durable);
    if (durable === undefined) {
      durable = { source, pullers: new Set(), open: new Map(), settled: new Set() };
      this.#durables.set(source.durable, durable);
    }
    durable.pullers.add(puller);
    for (const stored of this.#messages) this.#offer(durable, stored);
  }

  leave(durable: string, puller: Puller): void {
    this.#durables.get(durable)?.pullers.delete(puller);
  }

  hasPuller(durable: string, puller: Puller): boolean {
    return this.#durables.get(durable)?.pullers.has(puller) === true;
  }

  #offer(durable: Durable, stored: Stored): void {
    if (!matches(durable.source.filter, stored.message.subject)) return;
    if (durable.settled.has(stored.seq) || durable.open.has(stored.seq)) return;
    const { nowMs } = this.#broker.kernel;
    // A pull brings what came since the last one, in any order.
    const pullMs = durable.source.stream === 'FACT' ? factPullMs - (nowMs % factPullMs) : 0;
    this.#deliverIn(durable, stored, pullMs + this.#random.below(8_000) / 1000);
  }

  /** Undefined pullers wait: the consumer has the message for whoever comes. */
  #deliverIn(durable: Durable, stored: Stored, delayMs: number): void {
    const { kernel } = this.#broker;
    const before = durable.open.get(stored.seq)?.deliveries ?? 0;
    const cancel = kernel.after(delayMs, `${durable.source.durable} offers ${stored.seq}`, () => {
      const live = [...durable.pullers].filter(({ connection }) => connection.isConnected);
      const puller = this.#broker.isUp ? this.#random.choose(live) : undefined;
      if (puller === undefined) {
        durable.open.delete(stored.seq);
        if (live.length > 0 || durable.pullers.size > 0) this.#deliverIn(durable, stored, 500);
        return;
      }
      if (before > 0) this.redeliveries += 1;
      this.#hand(durable, stored, puller);
    });
    durable.open.set(stored.seq, { deliveries: before, cancel });
  }

  #hand(durable: Durable, stored: Stored, puller: Puller): void {
    const { ackWaitMs } = durable.source;
    const open = durable.open.get(stored.seq);
    const deliveries = (open?.deliveries ?? 0) + 1;
    const { kernel } = this.#broker;
    const again = kernel.after(
      ackWaitMs,
      `${durable.source.durable} waited for ${stored.seq}`,
      () => this.#deliverIn(durable, stored, 0),
    );
    durable.open.set(stored.seq, { deliveries, cancel: again });
    puller.process.resume(this.#broker.latencyMs(), `takes ${stored.message.subject}`, () => {
      void puller.handle(deliveryOf(stored, deliveries)).then((verdict) => {
        // The verdict travels, and may be lost on the way.
        puller.process.kernel.after(this.#broker.latencyMs(), 'verdict', () => {
          if (!this.#broker.isUp || this.#durables.get(durable.source.durable) !== durable) return;
          this.#settle(durable, stored, { verdict, deliveries });
        });
      });
    });
  }

  #settle(
    durable: Durable,
    stored: Stored,
    { verdict, deliveries }: { readonly verdict: Verdict; readonly deliveries: number },
  ): void {
    const open = durable.open.get(stored.seq);
    if (open === undefined || open.deliveries !== deliveries) return;
    open.cancel();
    if (verdict === 'later') {
      this.#deliverIn(durable, stored, Math.min(retryStepMs * deliveries, 30_000));
    } else if (this.#weather.repeats()) {
      this.#deliverIn(durable, stored, this.#random.between(1, 5_000));
    } else {
      durable.open.delete(stored.seq);
      durable.settled.add(stored.seq);
    }
  }
}

function deliveryOf({ message, seq }: Stored, deliveries: number): Delivery {
  const { headers } = message;
  return {
    msgId: headers['x-msg-id'] ?? message.msgId ?? `sim:${seq}`,
    subject: message.subject,
    kind: headers['x-kind'] ?? '',
    part: Number(headers['x-part'] ?? -1),
    headers,
    body: JSON.parse(JSON.stringify(message.body ?? null)) as unknown,
    deliveries,
  };
}
