import { z } from 'zod';
import { payout, top, topHistory } from '../answers/emission.ts';
import { models, rankedModels } from '../answers/inference.ts';
import { pending, running, validators } from '../answers/queue.ts';
import { raceDetails, raceHistory, validatorVariance } from '../answers/races.ts';
import { downloadUrl, publicDetails, raceBundle } from '../answers/released.ts';
import { problemProgress, runDetail, runRecords } from '../answers/runs.ts';
import { suite, suiteProblems } from '../answers/suites.ts';
import { leaderboard, versionStatus } from '../answers/versions.ts';
import { contract, decision, specification } from '../place.ts';
import { type Field, type RouteRows, uuid } from './route-row.ts';

const suiteId: Field = { type: 'integer' };
const optionalSuite: Field = { type: 'integer', optional: true };
const offset: Field = { type: 'integer', min: 0, default: 0, optional: true };
const limit = (max: number, initial: number): Field => ({
  type: 'integer',
  min: 1,
  max,
  default: initial,
  optional: true,
});
const optionalId: Field = { type: 'uuid', optional: true };

const place = specification('Endpoints, Public');
const read = { method: 'GET', auth: 'none', place } as const;
const version = { agent_version_id: uuid };

/** Specification, Endpoints, Public: one row of its table each. */
export const publicRoutes = {
  'SPEC-PUB-01': { ...read, path: '/v1/public/suites', answer: z.array(suite) },
  'SPEC-PUB-02': {
    ...read,
    path: '/v1/public/suites/current',
    answer: suite,
    refusals: ['SUITE_NOT_FOUND'],
  },
  'SPEC-PUB-03': {
    ...read,
    path: '/v1/public/suites/{suite_id}/problems',
    params: { suite_id: suiteId },
    query: { include_embeddings: { type: 'boolean', default: false, optional: true } },
    answer: suiteProblems,
    refusals: ['SUITE_NOT_FOUND'],
  },
  'SPEC-PUB-04': {
    ...read,
    path: '/v1/public/leaderboard',
    query: {
      suite_id: optionalSuite,
      score_type: {
        type: 'string',
        words: 'CON-3-SCORE_TYPE',
        default: 'qualifying',
        optional: true,
      },
      limit: limit(500, 100),
      offset,
      q: { type: 'string', max: 64, optional: true },
    },
    answer: leaderboard,
  },
  'SPEC-PUB-05': { ...read, path: '/v1/public/top', answer: top },
  'SPEC-PUB-06': { ...read, path: '/v1/public/top-miner-payout', answer: payout },
  'SPEC-PUB-07': {
    ...read,
    path: '/v1/public/top/history',
    query: { suite_id: optionalSuite },
    answer: topHistory,
  },
  'SPEC-PUB-08': {
    ...read,
    path: '/v1/public/agent-versions/{agent_version_id}/status',
    params: version,
    answer: versionStatus,
    refusals: ['AGENT_VERSION_NOT_FOUND'],
  },
  'SPEC-PUB-09': {
    ...read,
    path: '/v1/public/agent-versions/{agent_version_id}/runs',
    params: version,
    answer: runRecords,
    refusals: ['AGENT_VERSION_NOT_FOUND'],
  },
  'SPEC-PUB-10': {
    ...read,
    path: '/v1/public/agent-versions/{agent_version_id}/problems',
    params: version,
    query: { phase: { type: 'string', words: 'CON-3-PHASE', optional: true }, race_id: optionalId },
    answer: problemProgress,
    refusals: ['AGENT_VERSION_NOT_FOUND'],
  },
  'SPEC-PUB-11': {
    ...read,
    path: '/v1/public/agent-versions/{agent_version_id}',
    params: version,
    answer: publicDetails,
    refusals: ['AGENT_VERSION_NOT_FOUND', 'ARTIFACT_NOT_RELEASED'],
  },
  'SPEC-PUB-12': {
    ...read,
    method: 'POST',
    path: '/v1/public/artifacts/download-url',
    body: {
      artifact_type: { type: 'string', words: 'CON-3-ARTIFACT_TYPE' },
      agent_version_id: { ...optionalId, nullable: true },
      eval_run_id: { ...optionalId, nullable: true },
      problem_id: { ...optionalId, nullable: true },
      episode_result_id: { ...optionalId, nullable: true },
    },
    answer: downloadUrl,
    refusals: [
      'MISSING_PARAMETER',
      'INVALID_ARTIFACT_TYPE',
      'RACE_IN_FLIGHT',
      'ARTIFACT_NOT_RELEASED',
      'ARTIFACT_NOT_FOUND',
      'AGENT_VERSION_NOT_FOUND',
      'EVAL_RUN_NOT_FOUND',
    ],
  },
  'SPEC-PUB-13': {
    ...read,
    path: '/v1/public/evaluation-runs/{eval_run_id}',
    params: { eval_run_id: uuid },
    answer: runDetail,
    refusals: ['EVAL_RUN_NOT_FOUND'],
  },
  'SPEC-PUB-14': { ...read, path: '/v1/public/validators', answer: validators },
  'SPEC-PUB-15': { ...read, path: '/v1/public/evaluations/running', answer: running },
  'SPEC-PUB-16': {
    ...read,
    path: '/v1/public/evaluations/pending',
    query: { limit: limit(500, 100), offset },
    answer: pending,
  },
  'SPEC-PUB-17': {
    ...read,
    path: '/v1/public/races/history',
    query: { suite_id: optionalSuite, limit: limit(100, 20), offset },
    answer: raceHistory,
  },
  'SPEC-PUB-18': {
    ...read,
    path: '/v1/public/races/{race_id}/validator-variance',
    params: { race_id: uuid },
    answer: validatorVariance,
    refusals: ['RACE_NOT_FOUND'],
  },
  'SPEC-PUB-19': {
    ...read,
    path: '/v1/public/inference/models',
    query: {
      provider: { type: 'string', default: 'providera', optional: true },
      ranked: { type: 'boolean', default: false, optional: true },
    },
    answer: z.union([models, rankedModels]),
  },
  'CON-4-RACE_CURRENT': {
    ...read,
    place: contract('4'),
    path: '/v1/public/races/current',
    answer: raceDetails,
  },
  'CON-4-RACE': {
    ...read,
    place: contract('4'),
    path: '/v1/public/races/{race_id}',
    params: { race_id: uuid },
    answer: raceDetails,
    refusals: ['RACE_NOT_FOUND'],
  },
  'CON-4-FEEDBACK': {
    ...read,
    place: contract('4'),
    path: '/v1/public/episode-results/{episode_result_id}/feedback',
    params: { episode_result_id: uuid },
    answer: 'open',
    refusals: ['ARTIFACT_NOT_FOUND'],
  },
  'CON-8-EVENTS': {
    ...read,
    place: contract('8'),
    path: '/v1/public/events',
    query: { cursor: { type: 'integer', min: 0, optional: true } },
    answer: 'open',
  },
  'OWN-RACE_BUNDLE': {
    ...read,
    place: decision('race bundles, for apps/verify'),
    path: '/v1/public/races/{race_id}/bundle',
    params: { race_id: uuid },
    answer: raceBundle,
    refusals: ['RACE_NOT_FOUND', 'RACE_IN_FLIGHT', 'ARTIFACT_NOT_FOUND'],
  },
} as const satisfies RouteRows;
