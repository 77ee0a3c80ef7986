import {
  ConnectionError,
  headers,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from 'nats';
import type { SimProcess } from '../kernel/sim-process.ts';
import { type Broker, type Envelope, type Interest, matches } from './broker.ts';
import { StatusFeed } from './status-feed.ts';

interface PublishOptions {
  readonly headers?: MsgHdrs;
  readonly reply?: string;
}

interface SubscribeOptions {
  readonly queue?: string;
  readonly callback: (error: Error | null, message: Msg) => void;
}

interface PendingFlush {
  resolve(): void;
  reject(error: Error): void;
}

interface RequestOptions extends PublishOptions {
  readonly timeout: number;
}

const reconnectMs = { min: 250, max: 350 };
const empty = new Uint8Array();

/**
 * One process's connection to the virtual broker, as far as infra/nats uses one. In both directions
 * messages keep their order, as on a TCP connection; between connections there is none.
 */
export class BrokerConnection {
  readonly #broker: Broker;
  readonly #process: SimProcess;
  readonly #interests = new Set<Interest>();
  readonly #statuses = new Set<StatusFeed>();
  /** What happened to the connection and was not told yet. */
  readonly #untold: string[] = [];
  /** Sent while there was no broker: the client keeps it and sends it when there is one. */
  readonly #unsent: Envelope[] = [];
  #isConnected: boolean;
  #isClosed = false;
  #serverId: string;
  readonly #flushes = new Set<PendingFlush>();
  /** Counts the connections: what was under way on an old one never arrives. */
  #life = 0;
  #outUs = 0;
  #inUs = 0;
  #replies = 0;

  constructor(broker: Broker, process: SimProcess) {
    this.#broker = broker;
    this.#process = process;
    this.#isConnected = broker.isUp;
    this.#serverId = broker.serverId;
    if (broker.isUp) broker.attach(this);
    else broker.await(this);
    process.onKill(() => {
      this.#isClosed = true;
      this.#life += 1;
      broker.detach(this);
    });
  }

  /** As infra/nats/connect.ts: nothing begins before there is a broker. */
  opened(): Promise<void> {
    return this.#isConnected ? Promise.resolve() : this.flush();
  }

  /** Sound for what infra/nats calls: the methods below. */
  asNats(): NatsConnection {
    return this as unknown as NatsConnection;
  }

  /** As a real broker's, which is another one each time it is started. */
  get info(): { readonly server_id: string } {
    return { server_id: this.#serverId };
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#isClosed;
  }

  publish(subject: string, data: Uint8Array | string = empty, options: PublishOptions = {}): void {
    if (this.#isClosed) return;
    const { headers, reply } = options;
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    this.#send({ subject, data: bytes, headers, reply });
  }

  subscribe(subject: string, { queue, callback }: SubscribeOptions) {
    const interest: Interest = {
      connection: this,
      subject,
      queue,
      receive: (envelope) => callback(null, this.#messageOf(envelope)),
    };
    this.#interests.add(interest);
    let isClosed = false;
    // The subscription travels like everything else that is sent.
    this.#travel(`subscribes ${subject}`, () => {
      if (this.#interests.has(interest)) this.#broker.add(interest);
    });
    const unsubscribe = () => {
      isClosed = true;
      this.#interests.delete(interest);
      this.#broker.remove(interest);
    };
    const drain = async () => {
      if (isClosed) return;
      unsubscribe();
      await this.flush();
    };
    return { drain, unsubscribe, isClosed: () => isClosed || this.#isClosed };
  }

  request(
    subject: string,
    data: Uint8Array | string = empty,
    options: RequestOptions,
  ): Promise<Msg> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new RequestError('closed'));
      this.#replies += 1;
      const reply = `_INBOX.${this.#process.name}.${this.#replies}`;
      const inbox: Interest = {
        connection: this,
        subject: reply,
        queue: undefined,
        receive: (envelope) => {
          end();
          if (envelope.headers?.code === 503) {
            reject(new RequestError('no responders', { cause: new NoRespondersError(subject) }));
          } else resolve(this.#messageOf(envelope));
        },
      };
      const cancel = this.#process.resume(options.timeout, `gives up ${subject}`, () => {
        end();
        reject(new TimeoutError());
      });
      const end = () => {
        cancel();
        this.#interests.delete(inbox);
        this.#broker.remove(inbox);
      };
      this.#interests.add(inbox);
      this.#travel(`listens`, () => {
        if (this.#interests.has(inbox)) this.#broker.add(inbox);
      });
      const { headers } = options;
      this.publish(subject, data, { reply, ...(headers !== undefined && { headers }) });
    });
  }

  /** Rejects when the connection breaks meanwhile; without one it waits for the next. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return resolve();
      const flush = { resolve, reject };
      this.#flushes.add(flush);
      if (this.#isConnected) this.#sendFlush(flush);
    });
  }

  status(): AsyncIterable<{ readonly type: string }> {
    const feed = new StatusFeed();
    this.#statuses.add(feed);
    return feed;
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#broker.detach(this);
  }

  async drain(): Promise<void> {
    await this.flush();
    await this.close();
  }

  /** Something arrives from the broker. */
  deliver(interest: Interest, envelope: Envelope): void {
    this.#arrive(`hears ${envelope.subject}`, () => {
      if (this.#interests.has(interest)) interest.receive(envelope);
    });
  }

  lost(): void {
    if (this.#isClosed) return;
    this.#isConnected = false;
    this.#life += 1;
    const flushes = [...this.#flushes];
    this.#flushes.clear();
    this.#process.resume(0, 'has nothing flushed', () => {
      for (const { reject } of flushes) reject(new ConnectionError('disconnect'));
    });
    this.#tell('disconnect');
  }

  reconnectSoon(): void {
    const delayMs = this.#broker.kernel.random.between(reconnectMs.min, reconnectMs.max);
    this.#process.resume(delayMs, 'reconnects', () => {
      if (this.#isClosed || this.#isConnected || !this.#broker.isUp) return;
      this.#isConnected = true;
      this.#serverId = this.#broker.serverId;
      this.#broker.attach(this);
      for (const interest of this.#interests) this.#broker.add(interest);
      this.#tell('reconnect');
      for (const envelope of this.#unsent.splice(0)) this.#send(envelope);
      for (const flush of this.#flushes) this.#sendFlush(flush);
    });
  }

  #sendFlush(flush: PendingFlush): void {
    this.#travel('flushes', () => {
      this.#arrive('is flushed', () => {
        if (this.#flushes.delete(flush)) flush.resolve();
      });
    });
  }

  /** In the order in which it happened: a process that was stopped must not end with an older word. */
  #tell(happened: string): void {
    this.#untold.push(happened);
    this.#process.resume(0, `learns of its connection`, () => {
      const type = this.#untold.shift() ?? happened;
      for (const feed of this.#statuses) feed.push({ type });
    });
  }

  #send(envelope: Envelope): void {
    if (!this.#isConnected) {
      this.#unsent.push(envelope);
      return;
    }
    this.#travel(`says ${shown(envelope.subject)}`, () => {
      const isHeard = this.#broker.route(envelope);
      if (isHeard || envelope.reply === undefined) return;
      const { reply } = envelope;
      const inbox = [...this.#interests].find(({ subject }) => matches(subject, reply));
      const absent = { subject: reply, data: empty, headers: nobody, reply: undefined };
      if (inbox !== undefined) this.deliver(inbox, absent);
    });
  }

  /** To the broker, behind what was sent before; lost with the connection. */
  #travel(what: string, atBroker: () => void): void {
    const { kernel } = this.#broker;
    const life = this.#life;
    this.#outUs = Math.max(this.#outUs + 1, arrivalUs(kernel.nowUs, this.#broker.latencyMs()));
    kernel.at(this.#outUs, `${this.#process.name} ${what}`, () => {
      // A killed process has sent what it sent, as long as the broker is there.
      if (this.#broker.isUp && (life === this.#life || !this.#process.isAlive)) atBroker();
    });
  }

  #arrive(what: string, run: () => void): void {
    const { kernel } = this.#broker;
    const life = this.#life;
    this.#inUs = Math.max(this.#inUs + 1, arrivalUs(kernel.nowUs, this.#broker.latencyMs()));
    this.#process.resume((this.#inUs - kernel.nowUs) / 1000, what, () => {
      if (life === this.#life && !this.#isClosed) run();
    });
  }

  #messageOf({ subject, data, headers, reply }: Envelope): Msg {
    const message = {
      subject,
      data,
      headers,
      reply,
      json: () => JSON.parse(decoder.decode(data)) as unknown,
      string: () => decoder.decode(data),
      respond: (answer?: Uint8Array | string) => {
        if (reply === undefined) return false;
        this.publish(reply, answer);
        return true;
      },
    };
    return message as unknown as Msg;
  }
}

const decoder = new TextDecoder();
/** What the broker answers in the place of those who do not listen. */
const nobody = headers(503, 'No Responders');

function arrivalUs(nowUs: number, latencyMs: number): number {
  return nowUs + Math.round(latencyMs * 1000);
}

/** Inboxes have no names of their own in the trace. */
function shown(subject: string): string {
  return subject.startsWith('_INBOX') ? 'an answer' : subject;
}
