/**
 * The broker, as the edge and the actors see it. It carries messages and owns nothing: whatever it
 * loses is found again in Postgres.
 */

/** The edge's side: requests within one budget of time, repeated with the same command id. */
export interface CommandBus {
  /**
   * Asks the owner of a partition to decide a command and gives its answer's body. Throws a Fault:
   * the actor's refusal, or OWNER_UNAVAILABLE, OUTCOME_UNKNOWN, OVERLOADED, STORE_UNAVAILABLE with
   * `retry_after_seconds` among its extras.
   */
  command(
    target: { readonly kind: string; readonly part: number },
    command: OutgoingCommand,
    options?: RequestBudget,
  ): Promise<unknown>;
  /** The same for a stateless service; any of its instances answers. */
  call(service: string, request: OutgoingCommand, options?: RequestBudget): Promise<unknown>;
}

export interface OutgoingCommand {
  /** The same id again gets the same answer again. A UUID or 64 hex digits. */
  readonly id: string;
  readonly type: string;
  readonly body: unknown;
  /** Who stands behind it: a hotkey, `operator:<name>` or `system`. */
  readonly account: string;
}

export interface RequestBudget {
  /** All attempts together; 10 s unless told. */
  readonly budgetMs?: number;
  /** Tries to the end of the budget also while the owner has too much to do or no database. */
  readonly isPatient?: boolean;
  /** One attempt; 2 s unless told. For what takes longer, or must not be begun a second time. */
  readonly attemptMs?: number;
  /**
   * Of what a service answers within milliseconds and may be asked again at any time: an instance that
   * is frozen keeps its share of the requests, so it is waited for briefly at first.
   */
  readonly isQuick?: boolean;
}

/** The side of stateless services: queue groups, so that each request meets one instance. */
export interface ServiceBus {
  /** A Fault thrown by `handle` is the caller's answer; any other error is INTERNAL_ERROR. */
  serve(service: string, handle: (request: IncomingCommand) => Promise<unknown>): Subscription;
}

export interface IncomingCommand extends OutgoingCommand {
  readonly trace: Readonly<Record<string, string>>;
  /** Of the caller's database; versions before do not say it. */
  readonly genesis?: string;
  /**
   * How long the caller still waited when it sent this. No instant: hosts do not agree on the time, and
   * one with a wrong clock would drop whatever it is sent.
   */
  readonly budgetMs?: number;
}

/** Requests of services and durable messages: what any process may do that can. */
export interface SharedWork {
  /** This one cannot: whoever else can gets it. */
  leave(): void;
  take(): void;
}

/** What only saves time when it is said to all; whoever misses it finds out by looking. */
export interface Signals {
  signal(name: string, body: object): void;
  onSignal(name: string, receive: (body: unknown) => void): Subscription;
}

/** The side of partition hosts: plain subscriptions, never queue groups. */
export interface PartitionBus extends Signals {
  /** Resolves when the broker knows of the subscription. */
  subscribeCommands(
    target: { readonly kind: string; readonly part: number },
    receive: (command: IncomingCommand, exchange: Exchange) => void,
  ): Promise<Subscription>;
  /** `absent`: the broker knows of nobody who answers for this member. */
  ping(memberId: string): Promise<'alive' | 'silent' | 'absent'>;
  answerPings(memberId: string): Subscription;
  /** Milliseconds of each time without a broker, told when it is over, detection included. */
  onOutageEnd(receive: (outageMs: number) => void): Subscription;
  /** Another process of the broker answers than before: what that one had in hand may be lost. */
  onNewBroker(receive: () => void): Subscription;
  readonly connected: boolean;
}

export interface Exchange {
  readonly sizeBytes: number;
  answer(reply: WireReply): void;
}

export type WireReply =
  | { readonly kind: 'ok'; readonly body: unknown }
  | {
      readonly kind: 'fault';
      readonly code: string;
      readonly detail: string;
      readonly extras: Readonly<Record<string, unknown>>;
    }
  /** Ask again: this process does not own the partition (any more). */
  | { readonly kind: 'moved' };

/** Durable messages, fed by the outbox and ended by the inbox. */
export interface MessageBus {
  /** An acknowledgement proves nothing but that the broker was there. */
  publish(message: DurableMessage): Promise<void>;
  /**
   * Pulls messages of one durable consumer until closed, starting over after every terminal error
   * and every silence. `handle` never throws and gives a verdict.
   */
  consume(source: ConsumerSource, handle: (message: Delivery) => Promise<Verdict>): Subscription;
}

export interface DurableMessage {
  readonly msgId: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Makes the transport's id differ from try to try: brokers have kept ids of messages they lost. */
  readonly attempt: number;
}

export interface ConsumerSource {
  readonly stream: 'EVT' | 'FACT';
  readonly durable: string;
  readonly filter: string;
  readonly ackWaitMs: number;
  readonly maxAckPending: number;
}

export interface Delivery {
  readonly msgId: string;
  readonly subject: string;
  /** The outbox it came from: (kind, part) of the sender. */
  readonly kind: string;
  readonly part: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly deliveries: number;
}

/** `done` after the commit, `later` for another try, `never` for a message that was set aside. */
export type Verdict = 'done' | 'later' | 'never';

export interface Subscription {
  /** Takes no more; resolves when everything that had arrived was handed over. */
  close(): Promise<void>;
}
