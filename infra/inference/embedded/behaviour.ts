import { z } from 'zod';

const scope = z.enum(['all', 'accounts', 'completions', 'models']);

/**
 * `status` answers so; `cut` ends the connection without a word; `hang` says nothing at all; `stall`
 * sends so many chunks of a stream and then no more.
 */
const fault = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    retryAfterSeconds: z.int().min(0).optional(),
  }),
  z.object({ kind: z.literal('cut') }),
  z.object({ kind: z.literal('hang') }),
  z.object({ kind: z.literal('stall'), afterChunks: z.int().min(0) }),
]);

const modelState = z.object({
  healthy: z.boolean().optional(),
  load: z.number().min(0).max(1).nullable().optional(),
  latencyMs: z.number().min(0).nullable().optional(),
});

/** How a stand-in deviates from a good day. */
const behaviour = z.strictObject({
  /** Waited before each answer. */
  delayMs: z.number().min(0).max(600_000),
  /** Waited before each chunk of a stream. */
  chunkMs: z.number().min(0).max(600_000),
  fault: z
    .object({
      fault,
      scope,
      /** Without it, until told otherwise. */ times: z.int().min(1).optional(),
    })
    .nullable(),
  /** Models that are listed and answered no more. */
  dropped: z.array(z.string()),
  models: z.record(z.string(), modelState),
  /** Credentials that are accepted no more. */
  rejected: z.array(z.string()),
  /** Each use of a refresh token replaces it. */
  rotates: z.boolean(),
  /** In the provider's currency. */
  tokenPrice: z.number().min(0),
  /** Of each completion; `max_tokens` may shorten it. */
  replyWords: z.int().min(1).max(10_000_000),
});

/** What it leaves out stays. */
export const behaviourPatch = behaviour.partial();

export type BehaviourPatch = z.infer<typeof behaviourPatch>;
export type StandInFault = z.infer<typeof fault>;
export type FaultScope = z.infer<typeof scope>;

type Settled = z.infer<typeof behaviour>;

const goodDay: Settled = {
  ...{ delayMs: 0, chunkMs: 0, fault: null, dropped: [], models: {}, rejected: [] },
  ...{ rotates: false, tokenPrice: 0.000_001, replyWords: 24 },
};

/** What a stand-in was told to do, and what waits for it to be told otherwise. */
export class Behaviour {
  #now: Settled = goodDay;
  #waiting = new Set<() => void>();

  get now(): Settled {
    return this.#now;
  }

  /** Those that hang or are stalled go on. */
  set(patch: BehaviourPatch): void {
    const given = Object.entries(behaviourPatch.parse(patch)).filter(
      ([, value]) => value !== undefined,
    );
    this.#now = { ...this.#now, ...Object.fromEntries(given) };
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const goOn of waiting) goOn();
  }

  heal(): void {
    this.set(goodDay);
  }

  /** Those that hang stay so: that one token was used is no word to who uses another. */
  reject(credential: string): void {
    this.#now = { ...this.#now, rejected: [...this.#now.rejected, credential] };
  }

  /** The fault that this request meets; one that was given a number of times is then used up. */
  takeFault(asked: Exclude<FaultScope, 'all'>): StandInFault | undefined {
    const planned = this.#now.fault;
    if (planned === null || (planned.scope !== 'all' && planned.scope !== asked)) return undefined;
    if (planned.times !== undefined) {
      const times = planned.times - 1;
      this.#now = { ...this.#now, fault: times === 0 ? null : { ...planned, times } };
    }
    return planned.fault;
  }

  /** Until it is told something, or `gone`. */
  async changed(gone: AbortSignal): Promise<void> {
    if (gone.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      gone.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
  }
}
