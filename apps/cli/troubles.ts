import { ForeignAnswer } from './client/foreign-answer.ts';
import { Refusal, Unanswered } from './client/refusal.ts';
import type { Desk } from './desk.ts';
import { durationText } from './show/moments.ts';

/** Why nothing is heard of the service, told once for each reason, and once that it is over. */
export class Troubles {
  readonly #desk: Pick<Desk, 'baseUrl' | 'out' | 'err'>;
  #trouble: Trouble | undefined;

  constructor(desk: Pick<Desk, 'baseUrl' | 'out' | 'err'>) {
    this.#desk = desk;
  }

  /**
   * @returns how long the service asks not to be asked, in milliseconds; zero where it does not say
   * @throws what no waiting mends
   */
  met(error: unknown): number {
    if (!willPass(error)) throw error;
    const now = troubleOf(error, this.#desk.baseUrl);
    if (now.what !== this.#trouble?.what) this.#note(`${now.what}; ${waitText(now)}`);
    this.#trouble = now;
    return now.pauseMs;
  }

  over(): void {
    if (this.#trouble !== undefined) this.#note('the service answers again');
    this.#trouble = undefined;
  }

  #note(text: string): void {
    const { out, err } = this.#desk;
    // Both may be one terminal, where a line between would spoil what is drawn over.
    out.settle();
    err.line(`paddock: ${text}`);
  }
}

interface Trouble {
  readonly what: string;
  readonly pauseMs: number;
}

function troubleOf(error: unknown, baseUrl: string): Trouble {
  if (error instanceof ForeignAnswer) return { what: `${error.baseUrl} ${error.says}`, pauseMs: 0 };
  if (!(error instanceof Refusal)) return { what: `${baseUrl} does not answer`, pauseMs: 0 };
  const { status, retryAfterSeconds = 0 } = error;
  const what =
    status === 429 ? 'too many requests came from here' : `the service answered ${status}`;
  return { what, pauseMs: retryAfterSeconds * 1000 };
}

function waitText({ pauseMs }: Trouble): string {
  return pauseMs === 0 ? 'waiting for it …' : `asking again in ${durationText(pauseMs)} …`;
}

/** Whether it is worth asking again. */
function willPass(error: unknown): boolean {
  if (error instanceof Refusal) return error.status === 429 || error.status >= 500;
  if (error instanceof ForeignAnswer) return error.movedTo === undefined;
  return error instanceof Unanswered;
}
