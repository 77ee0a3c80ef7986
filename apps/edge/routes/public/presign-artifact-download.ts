import { z } from 'zod';
import { findArtifact } from '../../artifacts/find-artifact.ts';
import { endpoint } from '../../endpoint.ts';
import { artifactRequest } from '../../wire/artifact.ts';
import { formatInstant, instant } from '../../wire/instant.ts';

export const presignArtifactDownload = endpoint({
  method: 'post',
  path: '/v1/public/artifacts/download-url',
  role: 'public',
  owner: 'release',
  summary: 'Where to download released code, logs or an episode',
  trafficClass: 2,
  body: artifactRequest,
  response: z.object({ download_url: z.string(), expires_at: instant }).meta({ id: 'DownloadUrl' }),
  asks: 'store',
  faults: [
    'MISSING_PARAMETER',
    'INVALID_ARTIFACT_TYPE',
    'AGENT_VERSION_NOT_FOUND',
    'EVAL_RUN_NOT_FOUND',
    'ARTIFACT_NOT_RELEASED',
    'ARTIFACT_NOT_FOUND',
    'RACE_IN_FLIGHT',
    'STORAGE_UNAVAILABLE',
  ],

  async handle({ body }, deps) {
    const { key, as } = await findArtifact(body, deps);
    const seconds = deps.config.downloadUrlSeconds;
    return {
      download_url: await deps.objects.presignGet(key, seconds, as),
      expires_at: formatInstant(deps.time.nowMs() + seconds * 1000),
    };
  },
});
