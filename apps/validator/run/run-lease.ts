import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type {
  PaddockClient,
  PostValidatorEvaluationRunsHeartbeatRequest,
} from '../../cli/client/paddock.generated.ts';
import { Refusal } from '../../cli/client/refusal.ts';

export type HostReport = NonNullable<PostValidatorEvaluationRunsHeartbeatRequest['body']>;

export interface LeaseOptions {
  readonly api: PaddockClient;
  readonly evalRunId: string;
  readonly everyMs: number;
  readonly report: () => HostReport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onUnproved: () => void;
}

/** The run is no longer ours: nothing that is sent for it would be taken. */
class RunLost extends Error {
  override name = 'RunLost';
}

/** Keeps one run's lease by heartbeats, until it is disposed of or the service takes the run away. */
export class RunLease implements AsyncDisposable {
  readonly #options: LeaseOptions;
  readonly #lost = new AbortController();
  readonly #stop: () => void;
  #beating: Promise<void>;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#beating = this.#beat();
    this.#stop = options.clock.every(options.everyMs, () => {
      this.#beating = this.#beat();
      return this.#beating;
    });
  }

  /** Aborts when the run is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  #lose(reason: string): void {
    this.#lost.abort(new RunLost(reason));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await this.#beating;
  }

  async #beat(): Promise<void> {
    const { api, evalRunId, log, onUnproved, report } = this.#options;
    if (this.#lost.signal.aborted) return;
    try {
      const asked = { eval_run_id: evalRunId, body: report() };
      await api.postValidatorEvaluationRunsHeartbeat(asked, { timeoutMs: beatTimeoutMs });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof Refusal && isLoss(error)) return this.#lose(reason);
      if (error instanceof Refusal && error.status === 401) onUnproved();
      // Without a clear answer the lease may still live: the next heartbeat tries again.
      log.warn('a heartbeat was not acknowledged', { eval_run_id: evalRunId, reason });
    }
  }
}

// Two of them fit between the shortest lease of the contract and its end.
const beatTimeoutMs = 10_000;
/** Whether the service says that the run is not the caller's any more; a proxy does not know. */
function isLoss({ status, isProxys }: Refusal): boolean {
  return losses.has(status) && !isProxys;
}

/** Not the owner, not there, over, complete. */
const losses: ReadonlySet<number> = new Set([403, 404, 409]);
