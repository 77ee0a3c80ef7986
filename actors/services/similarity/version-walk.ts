import type { Clock } from '../../../infra/ports/clock.ts';
import type { Transact } from '../service-handler.ts';
import { beginning, registerVersions, type SubmissionPlace } from './store.ts';

const pageSize = 2_000;

/**
 * Takes in every version, in the order of submission: all that there are, once, and from then on what
 * came since. Where a look breaks off the next one goes on.
 */
export class VersionWalk {
  readonly #transact: Transact;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #everyMs: number;
  #place: SubmissionPlace = beginning;
  #lookedMs = Number.NEGATIVE_INFINITY;

  /** @param everyMs it looks for what came since so often, however often it is asked to */
  constructor(transact: Transact, clock: Pick<Clock, 'monotonicMs'>, everyMs: number) {
    this.#transact = transact;
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** To the end, unless another process is at it. */
  async go(stopping: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#lookedMs < this.#everyMs) return;
    this.#lookedMs = nowMs;
    for (let isOver = false; !isOver && !stopping.aborted; ) isOver = await this.#page();
  }

  /** False while there may be more. */
  async #page(): Promise<boolean> {
    const page = { limit: pageSize, after: this.#place };
    const look = await this.#transact((tx) => registerVersions(tx, page));
    if (look === 'busy') return true;
    this.#place = look.next;
    return look.isAtEnd;
  }
}
