import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

interface Instants {
  readonly wallUs: number;
  readonly domainUs: number;
  /** When the statement that runs was sent; of the domain. */
  readonly sentUs: number;
}

const fileName = 'simulated_clock';
/** 2026-07-08T15:00:00.123456Z */
const width = 27;
const order = ['wallUs', 'domainUs', 'sentUs'] as const;

/**
 * The clocks of the simulated server: a file in its data folder, three instants of the same width. A
 * statement in front of each other one, which would tell them as well, costs a tenth of a race day.
 */
export class ServerClock implements Disposable {
  readonly #file: number;
  #said = '';

  constructor(dataDir: string) {
    this.#file = openSync(join(dataDir, fileName), 'w');
    this.set({ wallUs: 0, domainUs: 0, sentUs: 0 });
  }

  /** SQL that says it. */
  static says(what: (typeof order)[number]): string {
    return `pg_read_file('${fileName}', ${order.indexOf(what) * width}, ${width})::timestamptz`;
  }

  /** Only while the server runs no statement. */
  set(instants: Instants): void {
    const now = order.map((which) => instant(instants[which])).join('');
    if (now === this.#said) return;
    this.#said = now;
    writeSync(this.#file, now, 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}

/** With all six digits, which a Date cannot hold. */
function instant(us: number): string {
  const text = new Date(Math.floor(us / 1000)).toISOString();
  return `${text.slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`;
}
