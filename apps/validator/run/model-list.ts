import { z } from 'zod';
import type { Clock } from '../../../infra/ports/clock.ts';
import { type PaddockClient, paddockClient } from '../../cli/client/paddock.generated.ts';
import { Refusal } from '../../cli/client/refusal.ts';
import { sender } from '../../cli/client/send.ts';
import { isFinal, pauseMs } from '../delivery/delivery.ts';
import type { ModelToken } from './model-service.ts';

const ranked = z.object({ models: z.array(z.string()) });

/** The service does not say which models there are: neither an agent nor a provider has failed. */
class ModelsUnknown extends Error {
  override name = 'ModelsUnknown';
}

/** Of one try: an edge works no longer for an answer. */
const timeoutMs = 10_000;
/** In all of a run. A public read is what an edge that has too much to do refuses first; soon it is answered again. */
const patienceMs = 10 * 60_000;

/**
 * Which model the provider of a run serves best, of those that agents may call.
 *
 * 1. It is read when it is first needed, and kept for the run: whoever reads without credentials may be refused for
 *    what others behind the same address read.
 * 2. A refusal is none of the provider's and none of the agent's. It is asked again until the patience of the run
 *    is used up, and once for each need after that.
 * 3. What was told is good until something else is told.
 * 4. Questions that the service turns away itself wait by the same patience.
 */
export class ModelList {
  readonly token: ModelToken;
  readonly #clock: Clock;
  readonly #api: PaddockClient;
  #kept: z.infer<typeof ranked> | undefined;
  #isDoubtful = false;
  #sinceMs: number | undefined;
  #waitedMs = 0;

  constructor(token: ModelToken, clock: Clock) {
    this.token = token;
    this.#clock = clock;
    this.#api = paddockClient(
      sender({ baseUrl: new URL(token.base_url).origin, clock, timeoutMs }),
    );
  }

  /** How long in all, until now, somebody waited for it. */
  get waitedMs(): number {
    if (this.#sinceMs === undefined) return this.#waitedMs;
    return this.#waitedMs + this.#clock.monotonicMs() - this.#sinceMs;
  }

  /** A model that is not answered for may be the best no more: at the next need it is asked for once. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /**
   * Undefined where agents may call none.
   *
   * @throws ModelsUnknown, or why `signal` aborted
   */
  async best(signal: AbortSignal): Promise<string | undefined> {
    const kept = this.#kept;
    if (kept !== undefined && !this.#isDoubtful) return kept.models[0];
    this.#sinceMs = this.#clock.monotonicMs();
    try {
      const told = kept === undefined ? this.#untilTold(signal) : this.#orKept(kept, signal);
      this.#kept = await told;
      this.#isDoubtful = false;
      return this.#kept.models[0];
    } finally {
      this.#waitedMs = this.waitedMs;
      this.#sinceMs = undefined;
    }
  }

  /**
   * Waits before a question is asked again that the service itself has turned away. From `sinceMs`, when it was asked,
   * none of it is its task's time. False where the patience of the run does not reach so far.
   */
  async pause(
    attempts: number,
    { sinceMs, wishSeconds }: { readonly sinceMs: number; readonly wishSeconds: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    // It may take the service ten seconds to turn somebody away.
    this.#sinceMs = sinceMs;
    const waitMs = this.#pauseMs(attempts, wishSeconds);
    if (waitMs === undefined) {
      this.#sinceMs = undefined;
      return false;
    }
    await this.#clock.sleep(waitMs, signal);
    this.#waitedMs = this.waitedMs;
    this.#sinceMs = undefined;
    signal.throwIfAborted();
    return true;
  }

  #pauseMs(attempts: number, wishSeconds: number): number | undefined {
    const waitMs = Math.max(pauseMs(attempts, undefined), wishSeconds * 1000);
    return this.waitedMs + waitMs > patienceMs ? undefined : waitMs;
  }

  async #orKept(kept: z.infer<typeof ranked>, signal: AbortSignal) {
    try {
      return await this.#read(signal);
    } catch {
      signal.throwIfAborted();
      return kept;
    }
  }

  async #untilTold(signal: AbortSignal) {
    for (let attempts = 0; ; attempts++) {
      try {
        return await this.#read(signal);
      } catch (cause) {
        signal.throwIfAborted();
        const wishSeconds = cause instanceof Refusal ? (cause.retryAfterSeconds ?? 0) : 0;
        const waitMs = this.#pauseMs(attempts, wishSeconds);
        if (isFinal(cause) || waitMs === undefined)
          throw new ModelsUnknown('the service does not say which models there are', { cause });
        await this.#clock.sleep(waitMs, signal);
        signal.throwIfAborted();
      }
    }
  }

  async #read(signal: AbortSignal) {
    const asked = { provider: this.token.provider, ranked: true };
    return ranked.parse(await this.#api.getPublicInferenceModels(asked, { signal }));
  }
}
