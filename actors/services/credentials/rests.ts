import type { Clock } from '../../../infra/ports/clock.ts';

export interface RestsOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly restMs: number;
  /** Above it the oldest rests end early, which costs a claim a wait and nothing else. */
  readonly most?: number;
}

const usualMost = 10_000;

/** What has a rest, by name. Each is as long as the others, so that the one that began first ends first. */
export class Rests {
  readonly #options: RestsOptions;
  readonly #untilMs = new Map<string, number>();

  constructor(options: RestsOptions) {
    this.#options = options;
  }

  begin(name: string): void {
    const { clock, restMs, most = usualMost } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#untilMs.delete(name);
    this.#untilMs.set(name, nowMs + restMs);
    for (const [oldest, untilMs] of this.#untilMs) {
      if (untilMs > nowMs && this.#untilMs.size <= most) return;
      this.#untilMs.delete(oldest);
    }
  }

  end(name: string): void {
    this.#untilMs.delete(name);
  }

  has(name: string): boolean {
    return this.#options.clock.monotonicMs() < (this.#untilMs.get(name) ?? 0);
  }
}
