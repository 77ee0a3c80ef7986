import { z } from 'zod';
import { ForeignAnswer } from '../../cli/client/foreign-answer.ts';
import { Refusal } from '../../cli/client/refusal.ts';

export const completionBody = z.looseObject({
  terminal_status: z.enum(['SUCCESS', 'FAILED', 'TIMED_OUT']),
});

export type CompletionBody = z.infer<typeof completionBody>;

/**
 * What must reach the service, whatever happens to us meanwhile: a batch of results, an episode that the
 * store did not take at once, how a run ended, or that it is given back. Kept until it is answered,
 * or for as long as it is of use.
 */
export const delivery = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('results'), evalRunId: z.string(), items: z.array(z.unknown()) }),
  z.object({
    kind: z.literal('episode'),
    evalRunId: z.string(),
    packSha256: z.string(),
    document: z.string(),
    /** Unix milliseconds; from then on it holds up nothing any more. */
    untilMs: z.number(),
  }),
  z.object({
    kind: z.literal('completion'),
    evalRunId: z.string(),
    /** The same for every attempt, so that it happens once. */
    idempotencyKey: z.string(),
    body: completionBody,
  }),
  z.object({
    kind: z.literal('release'),
    evalRunId: z.string(),
    reason: z.string(),
    /** Unix milliseconds; from then on there is no lease that it could end. */
    untilMs: z.number(),
  }),
]);

export type Delivery = z.infer<typeof delivery>;
export type EpisodeDelivery = Extract<Delivery, { readonly kind: 'episode' }>;

/** What became of one: the service has it, or will never have it and says why. */
export type Delivered =
  | { readonly kind: 'acknowledged'; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly reason: string };

/** What an attempt came to; `later` says nothing about the delivery, only about the moment. */
export type Attempt =
  | Delivered
  | {
      readonly kind: 'later';
      readonly reason: string;
      /** A proxy answered it, which is believed to pass for a while only: see `ProxyPatience`. */
      readonly isProxys?: boolean;
    };

/**
 * What an answer means for what was sent, and what that there was none.
 *
 * 1. Load, outages and limits pass: 408, 425, 429 and 5xx are asked again.
 * 2. 401 and the registration it may speak of are about us, not about the delivery: asked again.
 * 3. What a proxy says in words of its own is about its way to the service, and asked again for a while; but one
 *    that finds the request too large will find it so for ever, and must not hold up what waits behind it.
 * 4. So it is with what a proxy answers as if it had succeeded, and with its redirects.
 * 5. Any other refusal is final: the same request would get it for ever.
 */
export function attemptOf(error: unknown): Attempt {
  if (error instanceof Refusal) return attemptOfRefusal(error);
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'later', reason, isProxys: error instanceof ForeignAnswer };
}

export function attemptOfRefusal({ status, isProxys, message: reason }: Answered): Attempt {
  if (status >= 500 || temporary.has(status)) return { kind: 'later', reason };
  if (isProxys && status !== tooLarge) return { kind: 'later', reason, isProxys };
  return { kind: 'refused', reason };
}

type Answered = Pick<Refusal, 'status' | 'isProxys' | 'message'>;

/** Whether no repeat would be answered otherwise. */
export function isFinal(error: unknown): boolean {
  return attemptOf(error).kind === 'refused';
}

const temporary: ReadonlySet<number> = new Set([401, 408, 425, 429]);
const tooLarge = 413;

/**
 * How long an episode may hold up the results behind it while the store is away: half of the hour without
 * results after which a service takes the run away (NO_PROGRESS_SECONDS), for that would lose them all.
 */
export const episodePatienceMs = 30 * 60_000;

/** Longer than any lease, and than a service is away. */
export const releasePatienceMs = 24 * 60 * 60_000;

/** What the attempt means for a delivery that is waited for no longer. */
export function withinPatience<Kind extends Attempt>(one: Delivery, attempt: Kind, nowMs: number) {
  const isOver = 'untilMs' in one && nowMs >= one.untilMs;
  if (!isOver || attempt.kind !== 'later') return attempt;
  return { kind: 'refused' as const, reason: `given up: ${attempt.reason}` };
}

const firstPauseMs = 200;
const pauseMaxMs = 15_000;

/** Before the next attempt, growing; the service's own wish counts where it is longer. */
export function pauseMs(attempts: number, retryAfterSeconds: number | undefined): number {
  const grown = Math.min(pauseMaxMs, firstPauseMs * 2 ** Math.min(attempts, 20));
  return Math.min(pauseMaxMs, Math.max(grown, (retryAfterSeconds ?? 0) * 1000));
}
