import type { MsgHdrs } from 'nats';
import type { Kernel } from '../kernel/kernel.ts';
import type { Prng } from '../kernel/prng.ts';
import type { BrokerConnection } from './broker-connection.ts';

export interface Envelope {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers: MsgHdrs | undefined;
  readonly reply: string | undefined;
}

export interface Interest {
  readonly connection: BrokerConnection;
  readonly subject: string;
  readonly queue: string | undefined;
  receive(envelope: Envelope): void;
}

/**
 * A core NATS server: at most once, in order on each connection, to all plain subscriptions and to
 * one of each queue group. It can be gone for a while.
 */
export class Broker {
  readonly kernel: Kernel;
  readonly #random: Prng;
  readonly #interests = new Set<Interest>();
  readonly #connections = new Set<BrokerConnection>();
  /** Those that wait for the broker to come back. */
  readonly #waiting = new Set<BrokerConnection>();
  #isUp = true;
  #starts = 1;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
    this.#random = kernel.randomFor('broker');
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get serverId(): string {
    return `broker-${this.#starts}`;
  }

  /** From here to there, one way. */
  latencyMs(): number {
    return 0.05 + this.#random.below(1_000) / 1000;
  }

  attach(connection: BrokerConnection): void {
    this.#waiting.delete(connection);
    this.#connections.add(connection);
  }

  /** Connects when there is a broker again. */
  await(connection: BrokerConnection): void {
    this.#waiting.add(connection);
  }

  detach(connection: BrokerConnection): void {
    this.#waiting.delete(connection);
    this.#connections.delete(connection);
    for (const interest of this.#interests) {
      if (interest.connection === connection) this.#interests.delete(interest);
    }
  }

  add(interest: Interest): void {
    this.#interests.add(interest);
  }

  remove(interest: Interest): void {
    this.#interests.delete(interest);
  }

  /** All connections break; what was under way is lost. */
  die(forMs: number): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#interests.clear();
    for (const connection of this.#connections) {
      this.#waiting.add(connection);
      connection.lost();
    }
    this.#connections.clear();
    this.kernel.after(forMs, 'broker returns', () => {
      this.#isUp = true;
      this.#starts += 1;
      for (const connection of this.#waiting) connection.reconnectSoon();
    });
  }

  /** False when nobody listens. */
  route(envelope: Envelope): boolean {
    const interested = [...this.#interests].filter(({ subject }) =>
      matches(subject, envelope.subject),
    );
    const receivers = interested.filter(({ queue }) => queue === undefined);
    const groups = Map.groupBy(
      interested.filter(({ queue }) => queue !== undefined),
      ({ queue }) => queue,
    );
    for (const members of groups.values()) {
      const one = this.#random.choose(members);
      if (one !== undefined) receivers.push(one);
    }
    for (const receiver of receivers) receiver.connection.deliver(receiver, envelope);
    return receivers.length > 0;
  }
}

/** `*` is one token, `>` is all that follow. */
export function matches(pattern: string, subject: string): boolean {
  if (pattern === subject) return true;
  if (!pattern.includes('*') && !pattern.endsWith('>')) return false;
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (const [at, token] of wanted.entries()) {
    if (token === '>') return tokens.length > at;
    if (at >= tokens.length || (token !== '*' && token !== tokens[at])) return false;
  }
  return wanted.length === tokens.length;
}
