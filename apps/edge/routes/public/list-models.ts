import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { allowlistOf } from '../../inference/allowlist.ts';
import { rankModels } from '../../inference/rank-models.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { flagText } from '../../wire/flag.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { providerInField, providerNameOf } from '../../wire/provider.ts';

const modelStats = z
  .object({
    model_id: z.string(),
    rank: z.number().int(),
    healthy: z.boolean(),
    load: z.number().nullable(),
    latency_ms: z.number().nullable(),
    served: z.boolean(),
    polled_at: instant,
  })
  .meta({ id: 'ModelStats' });

export const listModels = endpoint({
  method: 'get',
  path: '/v1/public/inference/models',
  role: 'public',
  owner: 'nobody',
  summary: 'Models that agents may call at one provider, flat or ranked by health and load',
  trafficClass: 2,
  cache: liveRead,
  query: z.object({
    // Where it has another word by configuration, that one.
    provider: z
      .string()
      .optional()
      .meta({ override: { default: 'providera' } }),
    ranked: flagText.default(false).meta({ override: { default: false } }),
  }),
  response: z
    .object({
      models: z.array(z.string()),
      aliases: z.record(z.string(), z.string()),
      stats: z.array(modelStats).optional(),
    })
    .meta({ id: 'ModelList' }),
  faults: [],

  async handle({ query }, { config, inference }) {
    const name = query.provider ?? providerNameOf('providera', config);
    const provider = providerInField(name, ['query', 'provider'], config);
    const { models, aliases, monitored } = allowlistOf(provider, config);
    if (!query.ranked) return { models: [...models], aliases: { ...aliases } };
    const snapshot = await inference.states.of(provider);
    // Before the first look there is nothing to rank by, and nothing to say of any model.
    if (snapshot === undefined)
      return { models: [...monitored], aliases: { ...aliases }, stats: [] };
    const ranked = rankModels(monitored, snapshot.models);
    const polledAt = formatInstant(snapshot.polledAt);
    return {
      models: ranked.map(({ modelId }) => modelId),
      aliases: { ...aliases },
      stats: ranked.map(({ modelId, healthy, load, latencyMs, served }, index) => ({
        ...{ model_id: modelId, rank: index + 1, healthy, load, latency_ms: latencyMs, served },
        polled_at: polledAt,
      })),
    };
  },
});
