import type { z } from 'zod';
import * as deliveries from './answers/deliveries.ts';
import * as emission from './answers/emission.ts';
import * as errors from './answers/errors.ts';
import * as inference from './answers/inference.ts';
import * as miner from './answers/miner.ts';
import * as operator from './answers/operator.ts';
import * as queue from './answers/queue.ts';
import * as races from './answers/races.ts';
import * as released from './answers/released.ts';
import * as runs from './answers/runs.ts';
import * as session from './answers/session.ts';
import * as suites from './answers/suites.ts';
import * as validator from './answers/validator.ts';
import * as versions from './answers/versions.ts';
import { contract, decision, type Place, specification } from './place.ts';

export interface Shape {
  readonly place: Place;
  readonly schema: z.ZodType;
}

const row = (place: Place, schema: z.ZodType): Shape => ({ place, schema });

/** Every answer that the text describes, by field. A shape within another one has its own rows. */
export const shapes = {
  'SPEC-HEALTH': row(contract('1, GET /health'), session.health),
  'SPEC-DEEP_HEALTH': row(contract('1, GET /health/deep'), session.deepHealth),
  'CON-2-CHALLENGE': row(contract('2, POST /v1/auth/challenge'), session.challenge),
  'SPEC-SESSION': row(specification('Session'), session.session),
  'CON-2-LOGOUT': row(contract('2, POST /v1/auth/logout'), session.success),

  'SPEC-ENVIRONMENT': row(specification('Suite, environment'), suites.environment),
  'SPEC-SUITE': row(specification('Suite'), suites.suite),
  'SPEC-SUITE_PROBLEMS': row(specification('Suite with problems'), suites.suiteProblems),
  'CON-5-LEADERBOARD': row(contract('5, Leaderboard'), versions.leaderboard),
  'CON-5-STATUS': row(contract('5, Version status'), versions.versionStatus),
  'CON-5-RUNS': row(contract('5, Run record'), runs.runRecords),
  'CON-5-RUN': row(contract('5, detailed run'), runs.runDetail),
  'SPEC-PROGRESS': row(specification('Agent version problem progress'), runs.problemProgress),
  'CON-5-DETAILS': row(contract('5, Public details'), released.publicDetails),
  'SPEC-DOWNLOAD': row(specification('Download URL result'), released.downloadUrl),
  'CON-5-TOP': row(contract('5, Top'), emission.top),
  'CON-5-PAYOUT': row(contract('5, Payout'), emission.payout),
  'CON-5-TOP_HISTORY': row(contract('5, Top history'), emission.topHistory),
  'CON-5-VALIDATORS': row(contract('5, Validator'), queue.validators),
  'CON-5-RUNNING': row(contract('5, Running'), queue.running),
  'CON-5-PENDING': row(contract('4 and 5, Pending'), queue.pending),
  'SPEC-RACE': row(specification('Race history entry'), races.race),
  'SPEC-RACE_HISTORY': row(specification('Race history entry'), races.raceHistory),
  'CON-5-RACE_DETAILS': row(contract('4 and 5, Qualifier'), races.raceDetails),
  'SPEC-VARIANCE': row(specification('Validator variance'), races.validatorVariance),
  'SPEC-MODELS': row(specification('Model list'), inference.models),
  'CON-5-RANKED_MODELS': row(contract('5, Models, ranked'), inference.rankedModels),

  'SPEC-MINER_VERSION': row(specification('Miner agent listing'), miner.minerVersion),
  'SPEC-MINER_AGENTS': row(specification('Miner agent listing'), miner.minerAgents),
  'SPEC-SUBMISSION': row(specification('Submission result'), miner.submission),
  'CON-4-CHECK': row(contract('4, POST /v1/miner/submit/check'), miner.submissionCheck),
  'CON-4-SELECTION': row(contract('4, PUT /v1/miner/race-selection'), miner.raceSelection),
  'SPEC-CREDENTIAL': row(specification('Inference credential status'), inference.credentialStatus),
  'CON-4-CREDENTIALS': row(contract('4, GET /v1/miner/inference-auth'), inference.credentialList),
  'CON-4-DEFAULT': row(
    contract('4, PATCH /v1/miner/inference-auth/default'),
    inference.defaultProvider,
  ),
  'SPEC-LEGACY_CREDENTIAL': row(
    specification('Legacy credential status'),
    inference.legacyCredentialStatus,
  ),

  'CON-4-CLAIM': row(contract('4, Claim, 200'), validator.claim),
  'CON-4-LEASE': row(contract('4, heartbeat'), validator.lease),
  'CON-4-RUN_PROBLEMS': row(contract('4, run problems'), validator.runProblems),
  'CON-4-PROGRESS': row(contract('4, progress'), validator.progressTaken),
  'CON-4-RELEASE': row(contract('4, release'), validator.runReleased),
  'SPEC-BATCH': row(specification('Episode result item'), validator.batchAnswer),
  'SPEC-COMPLETION': row(specification('Completion result'), validator.completion),
  'SPEC-PACK': row(specification('Pack delivery'), deliveries.packDelivery),
  'SPEC-RACE_PACK': row(specification('Pack delivery'), deliveries.racePackDelivery),
  'SPEC-LOG_UPLOAD': row(specification('Upload target (log upload)'), deliveries.logUpload),
  'SPEC-ARTIFACT_UPLOAD': row(
    specification('Upload target (episode artifact)'),
    deliveries.artifactUpload,
  ),
  'SPEC-STANDINGS': row(specification('Weight standings'), emission.weightStandings),

  'CON-7-PACK': row(contract('7, POST /packs'), operator.keptPack),
  'CON-7-REGISTRATION': row(
    contract('7, PUT /chain/registrations/{hotkey}'),
    operator.registration,
  ),
  'SPEC-INVALID': row(specification('Validation error body'), errors.validationError),
  'OWN-BUNDLE': row(decision('race bundles, for apps/verify'), released.raceBundle),
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeId = keyof typeof shapes;
