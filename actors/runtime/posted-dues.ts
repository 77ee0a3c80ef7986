import type { Command } from './partition-actor.ts';

/**
 * What was due and posted lately. Actors are asked many times a second, and what is due and cannot be
 * done would be tried as often, for nothing: the same command is posted again after `againMs` at the
 * earliest, but for one that came just before its time was over.
 */
export class PostedDues {
  readonly #againMs: number;
  readonly #ids = new Set<string>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(againMs: number) {
    this.#againMs = againMs;
  }

  /** Those to post now. */
  withoutRecent(due: readonly Command[], nowMs: number): readonly Command[] {
    if (due.length === 0) return due;
    if (nowMs - this.#sinceMs >= this.#againMs) {
      this.#ids.clear();
      this.#sinceMs = nowMs;
    }
    const fresh = due.filter(({ id }) => !this.#ids.has(id));
    for (const { id } of fresh) this.#ids.add(id);
    return fresh;
  }
}
