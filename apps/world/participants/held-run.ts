import type { Clock } from '../../../infra/ports/clock.ts';
import type { Listener } from './participant-event.ts';
import { expectOk, type Refusal, Refused, refusalOf } from './refusal.ts';
import type { SignedClient } from './signed-client.ts';
import { type Claim, heartbeatAnswer } from './validator-answers.ts';

export interface RunContext {
  readonly who: string;
  readonly client: SignedClient;
  readonly clock: Clock;
  readonly onEvent: Listener;
  /** Aborts when the validator is to end. */
  readonly stopping: AbortSignal;
}

/** One claimed run: its lease is kept by heartbeats until it is disposed of. */
export class HeldRun implements AsyncDisposable {
  readonly claim: Claim;
  readonly #context: RunContext;
  readonly #lost = new AbortController();
  #stopHeartbeats = () => {};
  #lastBeat: Promise<void> = Promise.resolve();
  #leaseExpiresAt: string;

  constructor(claim: Claim, context: RunContext) {
    this.claim = claim;
    this.#context = context;
    this.#leaseExpiresAt = claim.lease_expires_at;
  }

  get leaseExpiresAt(): string {
    return this.#leaseExpiresAt;
  }

  get about() {
    const { eval_run_id: evalRunId, agent_version_id: agentVersionId } = this.claim;
    return { who: this.#context.who, evalRunId, agentVersionId };
  }

  keepAlive(everyMs: number): void {
    this.#stopHeartbeats = this.#context.clock.every(everyMs, () => {
      this.#lastBeat = this.beat().then(
        () => undefined,
        (error: unknown) => this.#endedBy(error),
      );
      return this.#lastBeat;
    });
  }

  async beat(): Promise<void> {
    const { client, clock, onEvent } = this.#context;
    const startedMs = clock.monotonicMs();
    const { body, status } = await client.request('POST', this.path('heartbeat'), { json: {} });
    const answer = expectOk('a heartbeat', { body, status });
    this.#leaseExpiresAt = heartbeatAnswer.parse(answer).lease_expires_at;
    onEvent({ kind: 'heartbeat', beatMs: clock.monotonicMs() - startedMs, ...this.about });
  }

  path(action: string): string {
    return `/v1/validator/evaluation-runs/${this.claim.eval_run_id}/${action}`;
  }

  /** Works for a while; throws when the run was lost or the validator is to end meanwhile. */
  async work(ms: number): Promise<void> {
    const { clock, stopping } = this.#context;
    await clock.sleep(ms, AbortSignal.any([stopping, this.#lost.signal]));
    this.#lost.signal.throwIfAborted();
    stopping.throwIfAborted();
  }

  /** Sends and expects success; a refusal of a run that was lost meanwhile is the loss. */
  async send(what: string, path: string, json: unknown): Promise<unknown> {
    this.#lost.signal.throwIfAborted();
    return expectOk(what, await this.#context.client.request('POST', path, { json }));
  }

  async release(): Promise<Refusal | undefined> {
    const reply = await this.#context.client.request('POST', this.path('release'));
    return reply.status === 200 ? undefined : refusalOf(reply);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopHeartbeats();
    await this.#lastBeat;
  }

  #endedBy(error: unknown): void {
    // Without an answer the lease may still live: the next heartbeat tries again.
    if (error instanceof Refused) this.#lost.abort(error);
  }
}
