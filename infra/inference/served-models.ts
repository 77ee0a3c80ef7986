import { z } from 'zod';
import { ProviderUnavailable, type ServedModel } from '../ports/inference.ts';
import { acceptedJson, askProvider, type ProviderSite } from './provider-site.ts';

/** What a provider does not say of a model's state is unknown; one that it lists is up. */
const answer = z.object({
  data: z
    .array(
      z.object({
        id: z.string().min(1).max(200),
        healthy: z.boolean().default(true),
        load: z.number().min(0).max(1).nullable().default(null),
        latency_ms: z.number().min(0).nullable().default(null),
      }),
    )
    .max(20_000),
});

/** `GET /v1/models`, which needs no credential. @throws ProviderUnavailable */
export async function askServedModels(
  site: ProviderSite,
  signal?: AbortSignal,
): Promise<readonly ServedModel[]> {
  const asked = await askProvider(site, { method: 'GET', path: '/v1/models', signal });
  // Nobody's credential was sent: whatever the refusal, it is the provider's own trouble.
  if (asked.status !== 200) throw new ProviderUnavailable(`the provider answers ${asked.status}`);
  const parsed = answer.safeParse(acceptedJson(asked));
  if (!parsed.success) throw new ProviderUnavailable('the provider lists no models');
  return parsed.data.data.map(({ id, healthy, load, latency_ms: latencyMs }) => ({
    ...{ modelId: id, healthy, load, latencyMs },
  }));
}
