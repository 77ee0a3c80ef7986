import { z } from 'zod';
import { problemStatuses } from '../../../../actors/lease-manager/messages.ts';
import { microOfNumber } from '../../../../machines/scoring/micro.ts';
import { storableJson } from '../../../../machines/storable-json.ts';
import { endpoint } from '../../endpoint.ts';
import { chunksOf } from '../../evaluation/chunks.ts';
import { askOwner, digestOf } from '../../evaluation/owner.ts';
import { scoreIn } from '../../wire/score.ts';
import { storageKey } from '../../wire/storage-key.ts';
import { suiteProblemsMax } from '../../wire/suite.ts';
import { uuid } from '../../wire/uuid.ts';

const count = z.number().int().min(0).max(1_000_000_000).nullable().optional();

const problem = z.object({
  problem_id: uuid,
  status: z.enum(problemStatuses),
  score: scoreIn.nullable().optional(),
  reasoning_score: scoreIn.nullable().optional(),
  score_components_summary: z.record(z.string(), z.unknown()).nullable().optional(),
  inference_failure_count: count,
  inference_total: count,
  execution_time: z.number().min(0).nullable().optional(),
  logs_s3_key: storageKey.nullable().optional(),
});

/** The largest part of a report that goes to the owner at once; hardly any report has two. */
const chunkBytesMax = 512 * 1024;

const idsOf = (chunks: readonly (readonly { readonly problemId: string }[])[]) =>
  chunks.flat().map(({ problemId }) => problemId);

/** Absent and null both mean "leave what was stored". */
function toProgress(from: z.infer<typeof problem>) {
  return {
    problemId: from.problem_id,
    status: from.status,
    scoreMicro: from.score === undefined || from.score === null ? null : microOfNumber(from.score),
    reasoningScore: from.reasoning_score ?? null,
    scoreComponents: from.score_components_summary ?? null,
    inferenceFailureCount: from.inference_failure_count ?? null,
    inferenceTotal: from.inference_total ?? null,
    executionTime: from.execution_time ?? null,
    logsS3Key: from.logs_s3_key ?? null,
  };
}

export const recordProgress = endpoint({
  method: 'post',
  path: '/v1/validator/evaluation-runs/{eval_run_id}/progress',
  role: 'validator',
  owner: 'run',
  summary: 'Record where each problem of a live run stands',
  trafficClass: 0,
  params: z.object({ eval_run_id: uuid }),
  body: z.object({ problems: z.array(problem).min(1).max(suiteProblemsMax) }),
  mend: storableJson,
  bodyLimit: 'results',
  response: z.object({ accepted: z.literal(true) }),
  faults: [
    'EVAL_RUN_NOT_FOUND',
    'NOT_RUN_OWNER',
    'LEASE_EXPIRED',
    'RUN_ALREADY_COMPLETE',
    'INVALID_PROBLEM_ID',
    'BODY_TOO_LARGE',
  ],

  async handle({ caller, params, body, context }, { bus, runs }) {
    const { part, agentVersionId } = await runs.locate(params.eval_run_id);
    const chunks = chunksOf(body.problems.map(toProgress), chunkBytesMax);
    for (const [index, problems] of chunks.entries()) {
      await askOwner(bus, {
        type: 'record-progress',
        part,
        id: digestOf([context.commandId, index]),
        account: caller.name,
        body: {
          agentVersionId,
          evalRunId: params.eval_run_id,
          validatorHotkey: caller.name,
          problems,
          ...(index === 0 && chunks.length > 1 && { laterProblemIds: idsOf(chunks.slice(1)) }),
        },
      });
    }
    return { accepted: true as const };
  },
});
