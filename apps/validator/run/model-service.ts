import { z } from 'zod';
import type { Claim } from '../../cli/client/schemas.generated.ts';

/** What opens the service's door to language models for one run. */
export type ModelToken = NonNullable<Claim['inference_token']>;

const models = z.object({ models: z.array(z.string()).min(1) });

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

/** The model that the token's provider serves best, of those that agents may call. */
export async function bestModel(
  { base_url: baseUrl, provider }: ModelToken,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL('/v1/public/inference/models', baseUrl);
  url.search = new URLSearchParams({ provider, ranked: 'true' }).toString();
  const answer = await fetch(url, { signal });
  return models.parse(await answer.json()).models[0] ?? '';
}

/** Neither a miner's own account (429) nor a model that nobody serves is an outage. */
export function isOutage(status: number, body: unknown): boolean {
  return status >= 500 && !nobodyFailed.safeParse(body).success;
}
