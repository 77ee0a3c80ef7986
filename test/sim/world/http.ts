import type { Caller, Endpoint } from '../../../apps/edge/endpoint.ts';
import { randomId } from '../../../infra/ids/ids.ts';
import type { Prng } from '../kernel/prng.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import type { SimAnswer, SimEdge, SimRequest } from '../service/sim-edge.ts';

/** `refused`: no edge took the request. `unknown`: the connection broke, or nothing came in time. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: SimAnswer }
  | { readonly kind: 'refused' | 'unknown' };

/** Without a command id the request means a new command, as one without an Idempotency-Key does. */
export type Asked = Omit<SimRequest, 'caller' | 'commandId'> & { readonly commandId?: string };

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

  send(endpoint: Endpoint, caller: Caller, asked: Asked = {}): Promise<Outcome> {
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
      const commandId = asked.commandId ?? randomId();
      const request = { ...asked, caller, commandId };
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
