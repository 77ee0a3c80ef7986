import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { logsKey } from '../../evaluation/object-keys.ts';
import { askOwner } from '../../evaluation/owner.ts';
import { requireWithin } from '../../evaluation/upload.ts';
import { formatInstant, instant } from '../../wire/instant.ts';
import { uuid } from '../../wire/uuid.ts';

export const presignLogUpload = endpoint({
  method: 'post',
  path: '/v1/validator/uploads/presign',
  role: 'validator',
  owner: 'run',
  summary: "Where to put the logs of one problem of the caller's run",
  trafficClass: 1,
  body: z.object({
    content_length: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    eval_run_id: uuid,
    problem_id: uuid,
    content_type: z
      .string()
      .regex(/^[\w.+-]+\/[\w.+-]+$/)
      .max(100)
      .default('application/gzip'),
  }),
  response: z
    .object({
      upload_url: z.string(),
      method: z.literal('PUT'),
      results_s3_key: z.string(),
      expires_at: instant,
    })
    .meta({ id: 'LogUploadTarget' }),
  faults: [
    'EVAL_RUN_NOT_FOUND',
    'NOT_RUN_OWNER',
    'LEASE_EXPIRED',
    'RUN_ALREADY_COMPLETE',
    'AT_CAPACITY',
    'INVALID_PROBLEM_ID',
    'FILE_TOO_LARGE',
  ],

  async handle({ caller, body, context }, { bus, runs, objects, config, time }) {
    requireWithin(body.content_length, config.logUploadBytesMax);
    const { part, agentVersionId } = await runs.locate(body.eval_run_id);
    await askOwner(bus, {
      type: 'authorize-upload',
      part,
      id: context.commandId,
      account: caller.name,
      body: {
        agentVersionId,
        evalRunId: body.eval_run_id,
        validatorHotkey: caller.name,
        problemId: body.problem_id,
      },
    });
    // A key of its own for every upload: logs may be sent again, and the row names those that count.
    const key = logsKey(body.eval_run_id, body.problem_id, context.commandId);
    const seconds = config.downloadUrlSeconds;
    return {
      upload_url: await objects.presignPut(key, {
        contentLength: body.content_length,
        contentType: body.content_type,
        expiresInSeconds: seconds,
      }),
      method: 'PUT' as const,
      results_s3_key: key,
      expires_at: formatInstant(time.nowMs() + seconds * 1000),
    };
  },
});
