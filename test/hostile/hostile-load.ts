import { setTimeout as pause } from 'node:timers/promises';
import type { Lane } from './hostile-request.ts';
import { KeptConnection } from './load/kept-connection.ts';
import { sendAlone, sendSlowly } from './load/lone-connection.ts';
import type { NumberedRequest, Outcome } from './load/outcome.ts';
import type { RequestSource } from './request-source.ts';
import type { Tally } from './tally.ts';

export interface LoadPlan {
  readonly ports: readonly number[];
  readonly objectsPort: number;
  readonly count: number;
  /** Shared connections per edge, and requests sent ahead on each. */
  readonly connections: number;
  readonly depth: number;
  readonly onProgress?: (done: number) => void;
}

/** Under way at once, of those that do not share a connection. */
const lanesMax: Readonly<Record<Exclude<Lane, 'kept'>, number>> = {
  alone: 16,
  costly: 2,
  objects: 4,
  slow: 30,
};
/** Made ahead of what is sent; a lane that is full of them holds up the making. */
const aheadMax = 256;
const progressEvery = 20_000;

/** Sends them all, as fast as the service answers. Resolves when each has its verdict. */
export class HostileLoad {
  readonly #plan: LoadPlan;
  readonly #source: RequestSource;
  readonly #tally: Tally;
  readonly #waiting: Record<Lane, NumberedRequest[]> = {
    ...{ kept: [], alone: [], costly: [], objects: [], slow: [] },
  };
  readonly #underWay = { alone: 0, costly: 0, objects: 0, slow: 0 };
  readonly #kept: readonly KeptConnection[];
  readonly #finished = Promise.withResolvers<void>();
  #made = 0;
  #turn = 0;
  #isFilling = false;

  constructor(plan: LoadPlan, source: RequestSource, tally: Tally) {
    this.#plan = plan;
    this.#source = source;
    this.#tally = tally;
    const work = {
      next: () => this.#next(),
      done: (request: NumberedRequest, outcome: Outcome) => this.#judge(request, outcome),
      again: (request: NumberedRequest, isSuspect: boolean) => this.#again(request, isSuspect),
    };
    this.#kept = Array.from({ length: plan.connections }, () => plan.ports)
      .flat()
      .map((port) => new KeptConnection(port, plan.depth, work));
  }

  async run(): Promise<void> {
    this.#fill();
    await this.#finished.promise;
    for (const connection of this.#kept) connection.stop();
  }

  #next(): NumberedRequest | undefined {
    const found = this.#waiting.kept.shift();
    if (found === undefined) this.#makeSome();
    return found ?? this.#waiting.kept.shift();
  }

  #makeSome(): void {
    const lanes = Object.values(this.#waiting);
    while (this.#made < this.#plan.count && this.#waiting.kept.length < 32) {
      if (lanes.some(({ length }) => length >= aheadMax)) return;
      const request = this.#source.make(this.#made);
      this.#made += 1;
      this.#waiting[request.lane].push(request);
    }
  }

  /** Once for all that changed in this turn of the loop. */
  #fill(): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    setImmediate(() => {
      this.#isFilling = false;
      this.#makeSome();
      for (const lane of ['alone', 'costly', 'objects', 'slow'] as const) this.#start(lane);
      for (const connection of this.#kept) connection.fill();
    });
  }

  #start(lane: Exclude<Lane, 'kept'>): void {
    while (this.#underWay[lane] < lanesMax[lane]) {
      const request = this.#waiting[lane].shift();
      if (request === undefined) return;
      this.#underWay[lane] += 1;
      void this.#send(lane, request).then((outcome) => {
        this.#underWay[lane] -= 1;
        this.#judge(request, outcome);
        this.#fill();
      });
    }
  }

  #send(lane: Lane, request: NumberedRequest): Promise<Outcome> {
    const { ports, objectsPort } = this.#plan;
    const port = ports[this.#turn++ % ports.length] ?? 0;
    if (lane === 'slow') return sendSlowly(port, request, (ms) => pause(ms));
    return sendAlone(lane === 'objects' ? objectsPort : port, request);
  }

  /** What may have broken its connection shows it on one of its own. */
  #again(request: NumberedRequest, isSuspect: boolean): void {
    this.#waiting[isSuspect ? 'alone' : 'kept'].push(request);
    this.#fill();
  }

  #judge(request: NumberedRequest, outcome: Outcome): void {
    this.#tally.judge(request, outcome);
    const { done } = this.#tally;
    if (done % progressEvery === 0) this.#plan.onProgress?.(done);
    if (done === this.#plan.count) this.#finished.resolve();
    else if (this.#waiting.kept.length < 16) this.#fill();
  }
}
