import { EventQueue, type QueuedEvent } from './event-queue.ts';
import { Prng } from './prng.ts';
import type { Trace } from './trace.ts';

type Run = () => Promise<void> | void;

interface KernelEvent extends QueuedEvent {
  readonly name: string;
  readonly run: Run;
  isCancelled: boolean;
}

/** Takes back what was scheduled, if it has not happened. */
export type Cancel = () => void;

/**
 * The world's only source of events and of time.
 *
 * 1. One event at a time, by instant and then by the seed's choice. Between two events every promise
 *    that can go on by itself has gone on: nothing but an event makes anything happen.
 * 2. Time passes between events only. While an event waits for real I/O (the database), the world
 *    stands still.
 */
export class Kernel {
  readonly seed: number;
  readonly trace: Trace;
  /** What the scheduler itself chooses by. */
  readonly random: Prng;
  readonly #queue = new EventQueue<KernelEvent>();
  #nowUs: number;
  #number = 0;
  /** Microseconds by which the domain is ahead of the wall clock. */
  #domainOffsetUs = 0;
  steps = 0;

  constructor(options: { readonly seed: number; readonly startMs: number; readonly trace: Trace }) {
    this.seed = options.seed;
    this.trace = options.trace;
    this.random = new Prng(options.seed, 'kernel');
    this.#nowUs = options.startMs * 1000;
  }

  /** True time in Unix milliseconds, with a fraction of microseconds. */
  get nowMs(): number {
    return this.#nowUs / 1000;
  }

  get nowUs(): number {
    return this.#nowUs;
  }

  get domainOffsetUs(): number {
    return this.#domainOffsetUs;
  }

  get domainNowMs(): number {
    return (this.#nowUs + this.#domainOffsetUs) / 1000;
  }

  /** A source of choices of one's own: more choices here change none there. */
  randomFor(purpose: string): Prng {
    return new Prng(this.seed, purpose);
  }

  after(delayMs: number, name: string, run: Run): Cancel {
    return this.at(this.#nowUs + Math.max(1, Math.round(delayMs * 1000)), name, run);
  }

  at(atUs: number, name: string, run: Run): Cancel {
    this.#number += 1;
    const event: KernelEvent = {
      atUs,
      tie: this.random.next(),
      number: this.#number,
      name,
      run,
      isCancelled: false,
    };
    this.#queue.push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Moves the domain's clock on and leaves everything else where it is (decision 0016). */
  jump(ms: number): void {
    this.#domainOffsetUs += Math.round(ms * 1000);
    this.trace.step(this.#nowUs, `jump ${Math.round(ms)}`);
  }

  /** Runs events until `isDone` or until `untilMs` of true time has come. True when it was done. */
  async run(until: { readonly ms: number; readonly isDone?: () => boolean }): Promise<boolean> {
    const untilUs = this.#nowUs + Math.round(until.ms * 1000);
    for (;;) {
      if (until.isDone?.() === true) return true;
      const next = this.#queue.peek();
      if (next === undefined || next.atUs > untilUs) {
        this.#nowUs = untilUs;
        return until.isDone?.() ?? true;
      }
      this.#queue.pop();
      if (next.isCancelled) continue;
      await this.#happen(next);
    }
  }

  async #happen(event: KernelEvent): Promise<void> {
    // Late only where an earlier one took the instant: two events never share one.
    this.#nowUs = Math.max(this.#nowUs + 1, event.atUs);
    this.steps += 1;
    this.trace.step(this.#nowUs, event.name);
    await event.run();
    // Every promise that can go on goes on before the event loop comes round to this.
    await new Promise(setImmediate);
  }
}
