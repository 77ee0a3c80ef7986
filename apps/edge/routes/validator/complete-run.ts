import { z } from 'zod';
import { completeRunReply, terminalStatuses } from '../../../../actors/lease-manager/messages.ts';
import { microOfNumber } from '../../../../machines/scoring/micro.ts';
import { storableJson } from '../../../../machines/storable-json.ts';
import { faultClasses } from '../../../../machines/types.ts';
import { endpoint } from '../../endpoint.ts';
import { askOwner, digestOf, idempotentId } from '../../evaluation/owner.ts';
import { patientRead } from '../../evaluation/patient-read.ts';
import { hadToken } from '../../reads/credentials.ts';
import { keyedCommand } from '../../reads/idempotency.ts';
import { cutText } from '../../wire/cut-text.ts';
import { scoreIn, scoreOfNumeric, scoreOut } from '../../wire/score.ts';
import { storageKey } from '../../wire/storage-key.ts';
import { uuid, uuidOut } from '../../wire/uuid.ts';

const failureReasonMax = 2000;

const completionFields = z.object({
  terminal_status: z.enum(terminalStatuses),
  validator_score: z.number().nullable().optional(),
  score_components: z.record(z.string(), z.unknown()).nullable().optional(),
  results_s3_key: storageKey.nullable().optional(),
  failure_reason: z.string().nullable().optional(),
  failure_class: z.enum(faultClasses).nullable().optional(),
  sandbox_metadata: z
    .object({
      exit_code: z.number().int().nullable().optional(),
      duration_seconds: z.number().nullable().optional(),
      stderr_tail: z.string().nullable().optional(),
    })
    .nullable()
    .optional(),
});

/** Only a success has a score; whatever another completion says there is ignored. */
const completion = completionFields.superRefine((body, context) => {
  const isJudged = body.terminal_status === 'SUCCESS' && typeof body.validator_score === 'number';
  const problem = isJudged ? scoreIn.safeParse(body.validator_score).error?.issues[0] : undefined;
  if (problem === undefined) return;
  const { message } = problem;
  const input = body.validator_score;
  context.addIssue({ code: 'custom', path: ['validator_score'], message, input });
});

const completionResult = z
  .object({
    eval_run_id: uuidOut,
    status: z.string(),
    work_item: z.object({
      included_success_count: z.number().int(),
      required_successes: z.number().int(),
      is_closed: z.boolean(),
    }),
    agent_version_became_eligible: z.boolean(),
    final_score: scoreOut.nullable(),
  })
  .meta({ id: 'CompletionResult' });

function toCompletion(body: z.infer<typeof completion>) {
  const reason = body.failure_reason ?? null;
  const score = body.terminal_status === 'SUCCESS' ? (body.validator_score ?? null) : null;
  return {
    terminalStatus: body.terminal_status,
    scoreMicro: score === null ? null : microOfNumber(score),
    scoreComponents: body.score_components ?? null,
    resultsS3Key: body.results_s3_key ?? null,
    failureReason: reason === null ? null : cutText(reason, failureReasonMax),
    failureClass: body.failure_class ?? null,
    sandboxMetadata: body.sandbox_metadata ?? null,
  };
}

function toResult(reply: z.infer<typeof completeRunReply>): z.infer<typeof completionResult> {
  return {
    eval_run_id: reply.evalRunId,
    status: reply.status,
    work_item: {
      included_success_count: reply.includedSuccessCount,
      required_successes: reply.requiredSuccesses,
      is_closed: reply.isClosed,
    },
    agent_version_became_eligible: reply.becameEligible,
    final_score: scoreOfNumeric(reply.finalScore),
  };
}

/**
 * Deployed validators try a completion again only after their next evaluation, so this one is worth
 * waiting for: it is repeated inside for up to 25 s. Without an `Idempotency-Key` the command id is
 * natural, (run, body): an equal repeat is the same command on any edge.
 */
export const completeRun = endpoint({
  method: 'post',
  path: '/v1/validator/evaluation-runs/{eval_run_id}/complete',
  role: 'validator',
  owner: 'run',
  summary: 'End a run with its terminal status and score',
  trafficClass: 0,
  isRepeatable: true,
  budget: 'completion',
  params: z.object({ eval_run_id: uuid }),
  body: completion,
  mend: storableJson,
  bodyLimit: 'results',
  response: completionResult,
  faults: [
    'EVAL_RUN_NOT_FOUND',
    'NOT_RUN_OWNER',
    'RUN_ALREADY_COMPLETE',
    'MISSING_SCORE',
    'RESULTS_INCOMPLETE',
    'SCORE_MISMATCH',
    'IDEMPOTENCY_CONFLICT',
    'BODY_TOO_LARGE',
  ],

  async handle({ caller, params, body, context }, { bus, runs, sql, config, clock }) {
    const asked = toCompletion(body);
    const { eval_run_id: evalRunId } = params;
    const patience = { untilMs: context.deadlineMs, clock };
    const isKeyed = context.idempotencyKey !== undefined;
    const natural = ['complete', evalRunId, caller.name, asked];
    const id = isKeyed ? idempotentId(context, asked) : digestOf(natural);
    if (isKeyed) {
      // Its id is for ever: what a run ended with does not change with the day.
      const { before } = await patientRead(() => keyedCommand({ sql, config }, id), patience);
      if (before !== undefined) return toResult(completeRunReply.parse(before));
    }
    const { part, agentVersionId } = await patientRead(() => runs.locate(evalRunId), patience);
    // Only then may somebody be blamed by what the reason says of a token.
    const mayBlame = asked.terminalStatus !== 'SUCCESS' && asked.failureReason !== null;
    const token = mayBlame && {
      hadToken: await patientRead(() => hadToken(sql, evalRunId), patience),
    };
    const reply = await askOwner(
      bus,
      {
        type: 'complete-run',
        part,
        id,
        account: caller.name,
        body: {
          agentVersionId,
          evalRunId,
          validatorHotkey: caller.name,
          ...token,
          ...asked,
        },
      },
      { budgetMs: context.deadlineMs - clock.nowMs(), isPatient: true },
    );
    return toResult(reply);
  },
});
