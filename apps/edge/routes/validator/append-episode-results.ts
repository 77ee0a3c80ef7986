import { z } from 'zod';
import { resultsPartsMax } from '../../../../machines/json-depth.ts';
import { endpoint } from '../../endpoint.ts';
import { appendBatch } from '../../evaluation/episode-batch.ts';
import { episodeItem } from '../../evaluation/episode-item.ts';
import { mendedItem } from '../../evaluation/mended-item.ts';
import { invalidField } from '../../validation.ts';

export const appendEpisodeResults = endpoint({
  method: 'post',
  path: '/v1/validator/episode-results',
  role: 'validator',
  owner: 'run',
  summary: 'Store up to 500 episode results; each item is answered on its own',
  trafficClass: 0,
  // Each item is judged on its own, and the most is a setting, which the handler knows.
  body: z.object({ results: z.array(z.unknown()).min(1) }),
  mend: ({ results }) => ({ results: results.map(mendedItem) }),
  requestShape: z.object({
    results: z
      .array(episodeItem.meta({ id: 'EpisodeResultItem' }))
      .min(1)
      .meta({
        description: `One that is not like this is answered 422 on its own; more than ${resultsPartsMax} lists, objects and texts in the body, names among them, are 413`,
        override: { maxItems: 500 },
      }),
  }),
  bodyLimit: 'results',
  response: z
    .object({
      results: z.array(
        z.object({
          eval_run_id: z.string().nullable(),
          task_id: z.string().nullable(),
          status: z.union([z.literal(201), z.literal(404), z.literal(409), z.literal(422)]),
          episode_result_id: z.string().nullable(),
          error: z.string().nullable(),
        }),
      ),
      counts: z.record(z.string(), z.number().int()),
    })
    .meta({ id: 'EpisodeResultAnswers' }),
  faults: [],

  async handle({ caller, body, context }, { bus, runs, config }) {
    if (body.results.length > config.resultItemsMax) {
      throw invalidField(['body', 'results'], `must have at most ${config.resultItemsMax} items`);
    }
    const results = await appendBatch(body.results, {
      bus,
      runs,
      validatorHotkey: caller.name,
      commandId: context.commandId,
    });
    const counts: Record<string, number> = {};
    for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
    return { results: [...results], counts };
  },
});
