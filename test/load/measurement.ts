import { percentile } from './percentile.ts';
import type { Auth, Stage, StageName, StageResult } from './stage.ts';

/** CPU microseconds by process, such as `edge` or `postgres`. */
export type CpuUs = Readonly<Record<string, number>>;

/** One kind of request under one kind of proof, over all rounds. */
export class Measurement {
  readonly title: string;
  readonly auth: Auth;
  readonly name: StageName;
  readonly isOpenLoop: boolean;
  readonly errors: Record<string, number> = {};
  readonly #cpuUs: Record<string, number> = {};
  #latenciesMs = new Float64Array();
  #seconds = 0;
  items = 0;

  constructor({ name, auth, rate }: Stage) {
    this.name = name;
    this.auth = auth;
    this.isOpenLoop = rate !== undefined;
    this.title = `${auth} ${name}${rate === undefined ? '' : ', open loop'}`;
  }

  add(result: StageResult, cpuUs: CpuUs): void {
    const all = new Float64Array(this.#latenciesMs.length + result.latenciesMs.length);
    all.set(this.#latenciesMs);
    all.set(result.latenciesMs, this.#latenciesMs.length);
    this.#latenciesMs = all;
    this.#seconds += result.seconds;
    this.items += result.items;
    for (const [what, count] of Object.entries(result.errors)) {
      this.errors[what] = (this.errors[what] ?? 0) + count;
    }
    for (const [who, us] of Object.entries(cpuUs)) {
      this.#cpuUs[who] = (this.#cpuUs[who] ?? 0) + us;
    }
  }

  get count(): number {
    return this.#latenciesMs.length;
  }

  summary() {
    const ascending = this.#latenciesMs.toSorted();
    const perOperation = Object.entries(this.#cpuUs).map(([who, us]) => [who, us / this.count]);
    return {
      auth: this.auth,
      name: this.name,
      loop: this.isOpenLoop ? 'open' : 'closed',
      count: this.count,
      seconds: this.#seconds,
      perSecond: this.count / this.#seconds,
      itemsPerSecond: this.items / this.#seconds,
      p50Ms: percentile(ascending, 0.5),
      p99Ms: percentile(ascending, 0.99),
      maxMs: ascending.at(-1) ?? Number.NaN,
      cpuUsPerOperation: Object.fromEntries(perOperation),
      errors: this.errors,
    };
  }
}

export type Summary = ReturnType<Measurement['summary']>;

/** All measurements as one table of plain text. */
export function table(summaries: readonly Summary[]): string {
  const processes = Object.keys(summaries[0]?.cpuUsPerOperation ?? {});
  const head = ['', '', 'a second', 'p50 ms', 'p99 ms', 'max ms', ...processes, 'other answers'];
  const rows = summaries.map((one) => [
    one.auth,
    nameOf(one),
    Math.round(one.perSecond).toString(),
    ...[one.p50Ms, one.p99Ms, one.maxMs].map((ms) => ms.toFixed(1)),
    ...processes.map((who) => Math.round(one.cpuUsPerOperation[who] ?? 0).toString()),
    errorsOf(one),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          // Words to the left, numbers to the right.
          return column < 2 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function nameOf({ name, loop, itemsPerSecond }: Summary): string {
  if (name === 'item batches') return `${name} (${Math.round(itemsPerSecond)} items a second)`;
  return loop === 'open' ? `${name}, open loop` : name;
}

function errorsOf({ errors }: Summary): string {
  const texts = Object.entries(errors).map(([what, count]) => `${count} x ${what}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}
