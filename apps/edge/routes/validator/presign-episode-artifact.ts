import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { artifactKey, artifactUri } from '../../evaluation/object-keys.ts';
import { askOwner } from '../../evaluation/owner.ts';
import { requireWithin } from '../../evaluation/upload.ts';
import { sha256Hex } from '../../wire/hash.ts';
import { uuid } from '../../wire/uuid.ts';

export const presignEpisodeArtifact = endpoint({
  method: 'post',
  path: '/v1/validator/episode-artifacts/presign',
  role: 'validator',
  owner: 'run',
  summary: 'Where to put the artifact of one episode, by its content',
  trafficClass: 1,
  body: z.object({
    eval_run_id: uuid,
    env_pack_sha256: sha256Hex,
    artifact_sha256: sha256Hex,
    content_length: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  }),
  response: z
    .object({ upload_url: z.string(), artifact_uri: z.string(), artifact_sha256: z.string() })
    .meta({ id: 'ArtifactUploadTarget' }),
  faults: [
    'EVAL_RUN_NOT_FOUND',
    'NOT_RUN_OWNER',
    'LEASE_EXPIRED',
    'RUN_ALREADY_COMPLETE',
    'AT_CAPACITY',
    'PACK_MISMATCH',
    'FILE_TOO_LARGE',
  ],

  async handle({ caller, body, context }, { bus, runs, objects, config }) {
    requireWithin(body.content_length, config.artifactBytesMax);
    const { part, agentVersionId } = await runs.locate(body.eval_run_id);
    await askOwner(bus, {
      type: 'presign-artifact',
      part,
      id: context.commandId,
      account: caller.name,
      body: {
        agentVersionId,
        evalRunId: body.eval_run_id,
        validatorHotkey: caller.name,
        envPackSha256: body.env_pack_sha256,
        artifactSha256: body.artifact_sha256,
        contentLength: body.content_length,
      },
    });
    const uploadUrl = await objects.presignPut(artifactKey(body.artifact_sha256), {
      contentLength: body.content_length,
      sha256: body.artifact_sha256,
      expiresInSeconds: config.downloadUrlSeconds,
    });
    return {
      upload_url: uploadUrl,
      artifact_uri: artifactUri(config.s3Bucket, body.artifact_sha256),
      artifact_sha256: body.artifact_sha256,
    };
  },
});
