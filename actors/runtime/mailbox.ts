import type { WireReply } from '../../infra/ports/bus.ts';
import type { Command } from './partition-actor.ts';
import type { RuntimePolicy } from './policy.ts';

/** `request`: somebody waits for the answer. `message`: from another actor. `timer`: from ourselves. */
export type Source = 'message' | 'request' | 'timer';

export interface Letter {
  readonly command: Command;
  readonly source: Source;
  readonly sizeBytes: number;
  /** Monotonic. */
  readonly arrivedMs: number;
  /** Wall clock, for the trace. */
  readonly arrivedAtMs: number;
  /** More than one when a repeat came while the first was still waiting. */
  readonly answers: ((reply: WireReply) => void)[];
}

interface Open {
  readonly letter: Letter;
  /** Monotonic: when the last of those who wait for its answer gives up. */
  untilMs: number;
}

/**
 * What waits for one partition. Bounded by number, by bytes and by how long the oldest has waited:
 * beyond that a caller is better told to come back. Timers and messages are not refused, since they
 * are few and would only come again.
 */
export class Mailbox {
  readonly #policy: RuntimePolicy;
  #waiting: Letter[] = [];
  /** Waiting or being decided, by source and id. */
  readonly #open = new Map<string, Open>();
  #bytes = 0;

  constructor(policy: RuntimePolicy) {
    this.#policy = policy;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** False when it is full; a repeat of an open command shares the first one's answer. */
  offer(letter: Letter): boolean {
    const same = this.#open.get(idOf(letter));
    if (same !== undefined) {
      same.letter.answers.push(...letter.answers);
      same.untilMs = Math.max(same.untilMs, untilMsOf(letter));
      return true;
    }
    if (letter.source === 'request' && this.#isFull(letter)) return false;
    this.#open.set(idOf(letter), { letter, untilMs: untilMsOf(letter) });
    this.#waiting.push(letter);
    this.#bytes += letter.sizeBytes;
    return true;
  }

  /** The next ones to decide, without those that nobody waits for any more. */
  take(nowMs: number): Letter[] {
    const { batchBytesMax, batchSizeMax } = this.#policy;
    const taken: Letter[] = [];
    let takenBytes = 0;
    while (taken.length < batchSizeMax) {
      const [letter] = this.#waiting;
      if (letter === undefined) break;
      if (taken.length > 0 && takenBytes + letter.sizeBytes > batchBytesMax) break;
      this.#waiting.shift();
      this.#bytes -= letter.sizeBytes;
      takenBytes += letter.sizeBytes;
      const untilMs = this.#open.get(idOf(letter))?.untilMs ?? untilMsOf(letter);
      if (nowMs > untilMs) this.#open.delete(idOf(letter));
      else taken.push(letter);
    }
    return taken;
  }

  /** To the front again, in their order. */
  putBack(letters: readonly Letter[]): void {
    this.#waiting = [...letters, ...this.#waiting];
    for (const letter of letters) this.#bytes += letter.sizeBytes;
  }

  settle(letter: Letter, reply: WireReply): void {
    this.#open.delete(idOf(letter));
    for (const answer of letter.answers) answer(reply);
  }

  settleAll(reply: WireReply): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const letter of waiting) this.settle(letter, reply);
  }

  #isFull(letter: Letter): boolean {
    const { mailboxBytesMax, mailboxCommandsMax, headWaitMaxMs } = this.#policy;
    const head = this.#waiting[0];
    return (
      this.#waiting.length >= mailboxCommandsMax ||
      this.#bytes + letter.sizeBytes > mailboxBytesMax ||
      (head !== undefined && letter.arrivedMs - head.arrivedMs > headWaitMaxMs)
    );
  }
}

function idOf(letter: Letter): string {
  return `${letter.source}:${letter.command.id}`;
}

/**
 * From its arrival, so that no wrong clock drops what is fresh. What lay in the socket of a process that
 * stood still looks fresh, too: such an owner is in doubt before its callers give up.
 */
function untilMsOf({ arrivedMs, command }: Letter): number {
  return arrivedMs + (command.budgetMs ?? Number.POSITIVE_INFINITY);
}
