import { z } from 'zod';
import { completionBytesMax, hasChoice } from '../../../infra/ports/inference.ts';
import { morePartsThan } from '../../../machines/json-depth.ts';
import type { Claim } from '../../cli/client/schemas.generated.ts';

/** What opens the service's door to language models for one run. */
export type ModelToken = NonNullable<Claim['inference_token']>;

/**
 * Of lists, objects and texts, names among them: three bytes take seventy once they are parsed. A provider that
 * sends the probability of each of 8,192 tokens unasked has eight for each.
 */
const answerPartsMax = 200_000;

/** More than anybody answers who works: it is heard no further. */
export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong';
}

/** Nobody was asked, as no provider serves the model, or it took no key: else the service says who failed. */
const nobodyFailed = z.object({
  error_code: z.literal('PROVIDER_UNAVAILABLE'),
  provider_failed: z.undefined().optional(),
});

export async function askCompletion(
  token: ModelToken,
  question: object,
  signal: AbortSignal,
): Promise<Response> {
  return await fetch(`${token.base_url}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(question),
    signal,
  });
}

/**
 * All of an answer, which a provider may send without end: a service passes a stream of events on as long as it
 * comes, though nobody here asks for one.
 *
 * @throws AnswerTooLong, or what fetch throws where it breaks off
 */
export async function answerText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > completionBytesMax)
      throw new AnswerTooLong(`more than ${completionBytesMax} bytes`);
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks);
  if (morePartsThan(whole, answerPartsMax))
    throw new AnswerTooLong(`more than ${answerPartsMax} lists, objects and texts`);
  return whole.toString('utf8');
}

/** In the service's own words, and none of a provider. An edge that stops says so of what it has under way, too. */
const turnedAway = z.object({
  error_code: z.string().refine((code) => code !== 'PROVIDER_UNAVAILABLE'),
});

/** Whether the service has no room for a question, or something of its own is away: nobody else failed. */
export function isTurnedAway(status: number, body: unknown): boolean {
  return status === 503 && turnedAway.safeParse(body).success;
}

export function retryAfterSeconds({ headers }: Response): number {
  return Number(headers.get('retry-after') ?? 0) || 0;
}

/** Whether nobody listens there, as while an edge is started anew: nobody was asked. */
export function isUnreached(error: unknown): boolean {
  return Reflect.get(Object(Reflect.get(Object(error), 'cause')), 'code') === 'ECONNREFUSED';
}

/** A success that holds no completion. Of events, for which nobody here asks, nothing is known. */
export function isBroken({ ok, headers }: Response, body: unknown): boolean {
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  return ok && !isStream && !hasChoice(body);
}

/** Neither a miner's own account (429) nor a model that nobody serves is an outage. */
export function isOutage(status: number, body: unknown): boolean {
  return status >= 500 && !nobodyFailed.safeParse(body).success;
}
