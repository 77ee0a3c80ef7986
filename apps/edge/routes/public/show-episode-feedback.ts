import { z } from 'zod';
import { refusal } from '../../../../machines/refusal.ts';
import { endpoint } from '../../endpoint.ts';
import { PreparedAnswer } from '../../prepared-answer.ts';
import { liveRead } from '../../public-reads/send-representation.ts';
import { ledgerOfEpisode } from '../../reads/artifacts.ts';
import { isRunReleased } from '../../wire/public-run.ts';
import { uuid } from '../../wire/uuid.ts';

export const showEpisodeFeedback = endpoint({
  method: 'get',
  path: '/v1/public/episode-results/{episode_result_id}/feedback',
  role: 'public',
  owner: 'release',
  summary: "One episode's document as its validator stored it, once it is released",
  trafficClass: 2,
  cache: liveRead,
  params: z.object({ episode_result_id: uuid }),
  response: z.unknown(),
  faults: ['ARTIFACT_NOT_FOUND', 'OVERLOADED', 'STORAGE_UNAVAILABLE'],

  async handle({ params }, { sql, documents, keptEpisodes }) {
    const id = params.episode_result_id;
    const found = await ledgerOfEpisode(sql, id);
    const hash = found !== undefined && isRunReleased(found) ? found.ledgerSha256 : null;
    const key = hash === null ? undefined : await keptEpisodes.keyOf(hash);
    const body = key === undefined ? undefined : await documents.read(key);
    if (hash === null || body === undefined)
      throw refusal('ARTIFACT_NOT_FOUND', {
        says: 'There is no such document, or it is not released.',
        next: 'Ask again when the race of the episode is released.',
      });
    // Nothing else is there under its key.
    return new PreparedAnswer({ body, sha256: hash });
  },
});
