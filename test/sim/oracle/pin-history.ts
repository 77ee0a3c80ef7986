import type { Violations } from './violations.ts';

interface Pin {
  /** Null after an unpin. */
  readonly id: string | null;
  readonly isSure: boolean;
}

/** What miners were told of their pins, against the close that takes them or locks them (INV-27). */
export class PinHistory {
  readonly #violations: Violations;
  readonly #pins = new Map<string, Pin>();
  #lockedAtMs: number | undefined;
  /** Orders of operators can take a pinned version out of the race. */
  #isMeddledWith = false;

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  meddled(): void {
    this.#isMeddledWith = true;
  }

  /** Until it is answered nobody knows what is pinned. */
  sent(miner: string): void {
    this.#pins.set(miner, { id: this.#pins.get(miner)?.id ?? null, isSure: false });
  }

  taken(miner: string, { id, sentAtMs }: { id: string | null; sentAtMs: number }): void {
    this.#pins.set(miner, { id, isSure: true });
    if (this.#lockedAtMs === undefined || this.#lockedAtMs >= sentAtMs) return;
    this.#violations.add('INV-27', `a pin of ${miner} was taken after the close`);
  }

  raceOpened(): void {
    this.#lockedAtMs = undefined;
    // A race may have eliminated what is pinned.
    this.#pins.clear();
  }

  raceClosed(entrantIds: readonly string[], atMs: number): void {
    this.#lockedAtMs = atMs;
    if (this.#isMeddledWith) return;
    for (const [miner, { id, isSure }] of this.#pins) {
      if (id === null || !isSure || entrantIds.includes(id)) continue;
      this.#violations.add('INV-27', `${miner} had pinned ${id}, which does not race`);
    }
  }
}
