import type { Caller, Endpoint } from '../../../apps/edge/endpoint.ts';
import { randomId, uuidV5 } from '../../../infra/ids/ids.ts';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import type { Prng } from '../kernel/prng.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { SimAnswer, SimEdge, SimRequest } from '../service/sim-edge.ts';

/** `refused`: no edge took the request. `unknown`: the connection broke, or nothing came in time. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: SimAnswer }
  | { readonly kind: 'refused' | 'unknown' };

export interface HttpWeather {
  /** Whether the answer to a request is lost on its way, though the edge sent it. */
  losesAnswer(endpoint: Endpoint): boolean;
}

/** As long as deployed clients wait. */
const timeoutMs = 30_000;

/** The way from clients to whichever edge is there. */
export class Http {
  readonly #clients: SimProcess;
  readonly #edges: () => readonly SimEdge[];
  readonly #weather: HttpWeather;
  readonly #random: Prng;

  constructor(deps: {
    readonly clients: SimProcess;
    readonly edges: () => readonly SimEdge[];
    readonly weather: HttpWeather;
  }) {
    this.#clients = deps.clients;
    this.#edges = deps.edges;
    this.#weather = deps.weather;
    this.#random = deps.clients.kernel.randomFor('http');
  }

  send(
    endpoint: Endpoint,
    caller: Caller,
    asked: Omit<SimRequest, 'caller' | 'commandId'> = {},
  ): Promise<Outcome> {
    const live = this.#edges().filter(({ process }) => process.isAlive);
    const edge = this.#random.choose(live);
    const { kernel } = this.#clients;
    return new Promise((resolve) => {
      let isOver = false;
      const end = (outcome: Outcome, delayMs: number) => {
        if (isOver) return;
        isOver = true;
        cancel();
        this.#clients.resume(delayMs, `${endpoint.method} ${outcome.kind}`, () => resolve(outcome));
      };
      const cancel = this.#clients.resume(timeoutMs, 'request times out', () =>
        end({ kind: 'unknown' }, 0),
      );
      if (edge === undefined) return end({ kind: 'refused' }, 1);
      edge.process.onKill(() => end({ kind: 'unknown' }, 1));
      const request = { ...asked, caller, commandId: commandId(endpoint, asked) };
      kernel.after(this.#latencyMs(), `${endpoint.method} ${endpoint.path}`, () => {
        if (!edge.process.isAlive) return end({ kind: 'refused' }, 1);
        edge.process.resume(0, 'takes a request', () => {
          void edge.serve(endpoint, request).then((answer) => {
            if (this.#weather.losesAnswer(endpoint)) end({ kind: 'unknown' }, this.#latencyMs());
            else end({ kind: 'answered', answer }, this.#latencyMs());
          });
        });
      });
    });
  }

  #latencyMs(): number {
    return 0.2 + this.#random.below(3_000) / 1000;
  }
}

// As in apps/edge/routes/miner/submit-agent.ts.
const versionNamespace = '2d9c1f7e-8a34-5b60-8c2d-7e4f1a6b3c22';
const sharedPartitions = 6;

/**
 * Versions share a few partitions, where they meet in batches, rather than being alone in 64: the id
 * of a submission decides where its version lives.
 */
function commandId(endpoint: Endpoint, asked: { readonly idempotencyKey?: string }): string {
  const isPlaced = endpoint.bodyKind === 'multipart' && asked.idempotencyKey === undefined;
  for (;;) {
    const id = randomId();
    if (!isPlaced || evalPartitionOf(uuidV5(versionNamespace, id)) < sharedPartitions) return id;
  }
}
