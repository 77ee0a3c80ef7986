import type { Kernel } from '../kernel/kernel.ts';

export interface Violation {
  /** As reliability.md numbers them; `SIM` for what should not happen in a world at all. */
  readonly invariant: string;
  readonly text: string;
  readonly step: number;
  readonly atMs: number;
}

/** What was found wrong, with where in the trace it was seen first. */
export class Violations {
  readonly found: Violation[] = [];
  readonly #kernel: Kernel;
  readonly #known = new Set<string>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  add(invariant: string, text: string): void {
    const key = `${invariant} ${text}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const { steps: step, nowMs: atMs } = this.#kernel;
    this.found.push({ invariant, text, step, atMs });
    this.#kernel.trace.note(`VIOLATION ${key}`);
  }
}
