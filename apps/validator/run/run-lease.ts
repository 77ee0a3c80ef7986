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
  #isCompleted = false;
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

  /** It was lost as it is complete, and that by us, for all one knows, where our completion has no answer yet. */
  get isCompleted(): boolean {
    return this.#isCompleted;
  }

  #lose({ code, message }: Refusal): void {
    this.#isCompleted = code === 'RUN_ALREADY_COMPLETE';
    this.#lost.abort(new RunLost(message));
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
      if (error instanceof Refusal && isLoss(error)) return this.#lose(error);
      if (error instanceof Refusal && error.status === 401) onUnproved();
      const reason = error instanceof Error ? error.message : String(error);
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
