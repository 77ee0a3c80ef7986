import { setTimeout as pause } from 'node:timers/promises';
import type { TestKey } from '../support/edge-client.ts';
import type { ReplayPool } from './material.ts';

export interface CanaryReport {
  readonly answered: number;
  /** Anything but a 2xx. */
  readonly failures: readonly string[];
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface CanaryPlan {
  readonly baseUrls: readonly string[];
  readonly miner: TestKey;
  readonly validator: TestKey;
  /** Held by `validator`. */
  readonly evalRunId: string;
  /** Accepted headers are copied here, for others to send again. */
  readonly replays: ReplayPool;
  readonly everyMs: number;
}

/** Raw requests of the hostile name none, and so share the one that they really come from. */
const ownAddress = '203.0.113.77';

/** An honest miner and an honest validator, who must not notice what goes on around them. */
export class Canary {
  readonly #plan: CanaryPlan;
  readonly #tookMs: number[] = [];
  readonly #failures: string[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #turn = 0;

  constructor(plan: CanaryPlan) {
    this.#plan = plan;
  }

  start(): void {
    this.#running = this.#beat();
  }

  async stop(): Promise<CanaryReport> {
    this.#stopping.abort();
    await this.#running;
    const sorted = this.#tookMs.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    return { answered: sorted.length, failures: this.#failures, p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  async #beat(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#ask();
      await pause(this.#plan.everyMs);
    }
  }

  async #ask(): Promise<void> {
    const { miner, validator, evalRunId, baseUrls } = this.#plan;
    const turn = this.#turn++;
    const base = baseUrls[turn % baseUrls.length] ?? '';
    const beat = `/v1/validator/evaluation-runs/${evalRunId}/heartbeat`;
    const turns = [
      ['GET', '/v1/miner/agents', miner.headers()],
      ['POST', beat, validator.headers()],
      ['GET', '/v1/public/leaderboard', {}],
      ['GET', '/v1/miner/inference-auth', miner.headers()],
      ['GET', '/v1/public/races/current', {}],
    ] as const;
    const [method, path, headers] = turns[turn % turns.length] ?? turns[0];
    const startedMs = performance.now();
    try {
      const body = method === 'POST' ? { body: '{"cpu_pct":1}' } : {};
      const own = { 'content-type': 'application/json', 'x-forwarded-for': ownAddress };
      const init = { method, headers: { ...headers, ...own }, ...body };
      const answer = await fetch(`${base}${path}`, {
        ...init,
        signal: AbortSignal.timeout(60_000),
      });
      const text = await answer.text();
      if (!answer.ok)
        this.#failures.push(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
      if (answer.ok && 'x-nonce' in headers) this.#plan.replays.add(headers);
    } catch (error) {
      this.#failures.push(`${method} ${path}: ${String(error)}`);
    }
    this.#tookMs.push(performance.now() - startedMs);
  }
}
