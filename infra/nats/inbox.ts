import type { Msg, MsgHdrs, NatsConnection } from 'nats';
import type { Soon } from '../clock/this-turn.ts';
import type { Clock } from '../ports/clock.ts';

export interface Question {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly headers: MsgHdrs;
  readonly timeoutMs: number;
}

/** `absent`: the broker knows of nobody who listens there; `silent`: nothing was heard in time. */
export type Heard = Msg | 'absent' | 'silent';

interface Waiting {
  readonly untilMs: number;
  readonly promise: PromiseWithResolvers<Heard>;
}

/** How late a silence is noticed: answers are waited for by hundreds of milliseconds and more. */
const sweepMs = 20;

/**
 * Questions whose answers come back to one inbox of our own. The client's `request` makes two errors, a
 * timer and a text of chance for each.
 *
 * 1. What is asked in one turn of the event loop leaves in one write.
 * 2. Silence is noticed by one look at all who wait, and nobody looks while nobody waits.
 */
export class Inbox {
  readonly #connection: NatsConnection;
  readonly #clock: Pick<Clock, 'every' | 'monotonicMs'>;
  readonly #soon: Soon;
  readonly #subject: string;
  readonly #waiting = new Map<string, Waiting>();
  #unsent: { readonly question: Question; readonly id: string }[] = [];
  #asked = 0;
  #isListening = false;
  #stopLooking: (() => void) | undefined;

  constructor(options: {
    readonly connection: NatsConnection;
    readonly clock: Pick<Clock, 'every' | 'monotonicMs'>;
    /** A subject that our rights cover. */
    readonly name: string;
    readonly soon: Soon;
  }) {
    this.#connection = options.connection;
    this.#clock = options.clock;
    this.#soon = options.soon;
    this.#subject = `${options.name}.`;
  }

  /** Rejects when the connection takes nothing more. */
  async ask(question: Question): Promise<Heard> {
    this.#listen();
    this.#asked += 1;
    const id = this.#asked.toString(36);
    const promise = Promise.withResolvers<Heard>();
    const untilMs = this.#clock.monotonicMs() + question.timeoutMs;
    this.#waiting.set(id, { untilMs, promise });
    this.#unsent.push({ question, id });
    if (this.#unsent.length === 1) this.#soon(() => this.#send());
    this.#stopLooking ??= this.#clock.every(sweepMs, () => this.#look());
    return await promise.promise;
  }

  #listen(): void {
    if (this.#isListening) return;
    const callback = (error: Error | null, message: Msg) => {
      if (error === null) this.#hear(message);
    };
    this.#connection.subscribe(`${this.#subject}*`, { callback });
    this.#isListening = true;
  }

  #send(): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    for (const { question, id } of unsent) {
      const { subject, payload, headers } = question;
      try {
        this.#connection.publish(subject, payload, { headers, reply: `${this.#subject}${id}` });
      } catch (error) {
        this.#take(id)?.promise.reject(error);
      }
    }
  }

  #hear(message: Msg): void {
    const waiting = this.#take(message.subject.slice(this.#subject.length));
    waiting?.promise.resolve(isAbsence(message) ? 'absent' : message);
  }

  #take(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #look(): void {
    if (this.#waiting.size === 0) {
      this.#stopLooking?.();
      this.#stopLooking = undefined;
    }
    const nowMs = this.#clock.monotonicMs();
    for (const [id, { untilMs, promise }] of this.#waiting) {
      if (untilMs > nowMs) continue;
      this.#waiting.delete(id);
      promise.resolve('silent');
    }
  }
}

/** The broker itself answers so. */
function isAbsence({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === 503;
}
