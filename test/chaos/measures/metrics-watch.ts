import { systemClock } from '../../../infra/clock/system-clock.ts';
import type { CounterName } from '../../../infra/ports/metrics.ts';
import type { ChaosProcess } from '../world/chaos-world.ts';

const everyMs = 1_000;
const patienceMs = 800;

/** Metrics of processes that are killed all the time: what each showed when it was last seen. */
export class MetricsWatch {
  readonly #sums = new Map<string, number>();
  readonly #last = new Map<string, number>();
  /** Of the coordinators that answered the last look. */
  readonly #stuck = new Map<string, number>();
  readonly #processes: readonly ChaosProcess[];
  readonly #stop: () => void;

  constructor(processes: readonly ChaosProcess[]) {
    this.#processes = processes;
    this.#stop = systemClock.every(everyMs, () => this.#look());
  }

  total(name: CounterName): number {
    return this.#sums.get(`${name.replaceAll('.', '_')}_total`) ?? 0;
  }

  /** By the gauge of any coordinator; undefined while none of them answers. */
  get isAnythingStuck(): boolean | undefined {
    if (this.#stuck.size === 0) return undefined;
    return [...this.#stuck.values()].some((count) => count > 0);
  }

  async stop(): Promise<void> {
    this.#stop();
    await this.#look();
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#processes.map((each) => this.#read(each).catch(() => this.#stuck.delete(each.name))),
    );
  }

  async #read({ name, kept, metricsPort }: ChaosProcess): Promise<void> {
    const { pid } = kept;
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal });
    const lines = (await answer.text()).split('\n');
    const stuck = stuckCount(lines);
    // Edges have no such gauge, and a coordinator that could not count shows no number.
    if (stuck === undefined) this.#stuck.delete(name);
    else this.#stuck.set(name, stuck);
    for (const line of lines) {
      const [, series = '', metric = '', value = ''] =
        /^((paddock_\w+_total)(?:\{[^}]*\})?) ([\d.e+]+)/.exec(line) ?? [];
      if (metric === '') continue;
      // Another process begins at nothing again.
      const key = `${name} ${pid} ${series}`;
      const grown = Number(value) - (this.#last.get(key) ?? 0);
      this.#last.set(key, Number(value));
      this.#sums.set(metric, (this.#sums.get(metric) ?? 0) + grown);
    }
  }
}

/** Over all kinds, as the lines of a page of metrics have it; undefined where none is told. */
export function stuckCount(lines: readonly string[]): number | undefined {
  const counts = lines.flatMap((line) => {
    const [, count] = /^paddock_stuck\{[^}]*\} ([\d.e+]+)/.exec(line) ?? [];
    return count === undefined ? [] : [Number(count)];
  });
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}
