import { z } from 'zod';
import type { SuiteDocument } from '../../../../actors/services/operator/messages.ts';
import { policyBounds } from '../../../../machines/race/policy-bounds.ts';
import { microOfNumber } from '../../../../machines/scoring/micro.ts';
import { endpoint } from '../../endpoint.ts';
import { order, storeDocument } from '../../operator/order.ts';
import { sha256Hex } from '../../wire/hash.ts';
import { int4Max } from '../../wire/integer.ts';
import { reason } from '../../wire/reason.ts';
import { thresholdIn } from '../../wire/share.ts';
import { suite, suiteProblemsMax, toSuite } from '../../wire/suite.ts';
import { uuid } from '../../wire/uuid.ts';

const problem = z.object({
  problem_id: uuid.nullable().optional(),
  metadata: z.record(z.string(), z.unknown()),
});
const problems = z.array(problem).max(suiteProblemsMax).nullable().optional();
const { requiredSuccessesMax } = policyBounds;
const requiredSuccesses = z.number().int().min(1).max(requiredSuccessesMax).nullable().optional();

const newSuite = z.object({
  benchmark_name: z.string().trim().min(1).max(200),
  benchmark_number: z.number().int().min(-int4Max).max(int4Max),
  execution_kind: z.enum(['legacy_benchmark', 'envpack']),
  env_pack_sha256: sha256Hex.nullable().optional(),
  qualifying_task_ids: z.array(z.string().min(1)).min(1).max(10_000).nullable().optional(),
  problems,
  race_problems: problems,
  qualifying_threshold: thresholdIn.nullable().optional(),
  required_successes_qualifying: requiredSuccesses,
  required_successes_race: requiredSuccesses,
  reason,
});

export const createSuite = endpoint({
  method: 'post',
  path: '/v1/admin/suites',
  role: 'operator',
  summary: 'Keep a new suite with its problems; it stays inactive',
  trafficClass: 1,
  body: newSuite,
  bodyLimit: 'operator',
  response: suite,
  faults: [
    'PACK_NOT_FOUND',
    'TASK_HELD_OUT',
    'NO_TASK_HELD_OUT',
    'IDEMPOTENCY_CONFLICT',
    'STORAGE_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ caller, body, context }, { bus, objects }) {
    const documentSha256 = await storeDocument(objects, toDocument(body));
    const request = { documentSha256, reason: body.reason ?? null };
    const kept = await order(bus, { caller, context }, { type: 'create-suite', body: request });
    return toSuite(kept);
  },
});

function toDocument(body: z.output<typeof newSuite>): SuiteDocument {
  const threshold = body.qualifying_threshold ?? null;
  return {
    benchmarkName: body.benchmark_name,
    benchmarkNumber: body.benchmark_number,
    executionKind: body.execution_kind,
    envPackSha256: body.env_pack_sha256 ?? null,
    qualifyingTaskIds: body.qualifying_task_ids ?? null,
    problems: toProblems(body.problems),
    raceProblems: toProblems(body.race_problems),
    qualifyingThresholdMicro: threshold === null ? null : microOfNumber(threshold),
    requiredSuccessesQualifying: body.required_successes_qualifying ?? null,
    requiredSuccessesRace: body.required_successes_race ?? null,
  };
}

function toProblems(given: z.output<typeof problems>): SuiteDocument['problems'] {
  return (given ?? []).map(({ problem_id: id, metadata }) => ({ problemId: id ?? null, metadata }));
}
