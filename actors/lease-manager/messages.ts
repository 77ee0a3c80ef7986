import { z } from 'zod';
import { episodeOutcomes, faultClasses, phases } from '../../machines/types.ts';
import { resultColumns } from './result-columns.ts';

/**
 * What the eval partition understands: requests over `cmd.eval.<part>`, durable messages over
 * `evt.eval.<part>.<type>`, and the replies to both. Field names are the domain's (camelCase); the
 * edge alone speaks the wire's snake_case. Instants are Unix milliseconds of the database's clock;
 * scores and rewards are integers of 10^-6.
 */
// Of any version and variant: a legacy suite brings its own problem ids.
const uuid = z.guid();
const micro = z.number().int().min(0).max(1_000_000);
const instantMs = z.number().int();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const problemStatuses = [
  'PENDING',
  'RUNNING',
  'SUCCESS',
  'FAILED',
  'SKIPPED',
  'TIMED_OUT',
] as const;

/** A submission that passed every check; the commit admits it under the miner row's lock. */
const submitVersion = z.object({
  agentVersionId: uuid,
  agentId: uuid,
  minerHotkey: z.string(),
  minerColdkey: z.string().nullable(),
  agentName: z.string(),
  suiteId: z.number().int(),
  codeSha256: sha256,
  codeSizeBytes: z.number().int().positive(),
});
/** Refusals: NO_ACTIVE_SUITE, COOLDOWN_ACTIVE {remaining_seconds, next_allowed_at}, BANNED. */
export const submitVersionReply = z.object({
  agentId: uuid,
  agentVersionId: uuid,
  nextAllowedAt: instantMs,
});

/** How many a claim names of one partition. Owners of the version before refuse more. */
export const preferredMax = 16;

/** Asks for one run; `preferred` are work items of this partition, best first (from read rows). */
const claimWork = z.object({
  validatorHotkey: z.string(),
  validatorColdkey: z.string().nullable(),
  /** All hotkeys of that coldkey as the chain has them now; edges of the version before name none. */
  ownedHotkeys: z.array(z.string()).optional(),
  slot: z.number().int().min(0),
  preferred: z.array(uuid).max(preferredMax),
});
const claimedRun = z.object({
  evalRunId: uuid,
  agentVersionId: uuid,
  workItemId: uuid,
  suiteId: z.number().int(),
  phase: z.enum(phases),
  raceId: uuid.nullable(),
  fence: z.number().int(),
  leaseExpiresAt: instantMs,
});
/** `run` is null when this partition has nothing for the caller. Refusals: AT_CAPACITY, BANNED. */
export const claimWorkReply = z.object({ run: claimedRun.nullable() });

const ownRun = { agentVersionId: uuid, evalRunId: uuid, validatorHotkey: z.string() };

/**
 * Refusals of everything that a run's owner may do: EVAL_RUN_NOT_FOUND, NOT_RUN_OWNER,
 * LEASE_EXPIRED {run_status} (heartbeat, progress, presign, release on a STALE or CANCELLED run),
 * RUN_ALREADY_COMPLETE.
 */
export const heartbeat = z.object({ ...ownRun });
const heartbeatReply = z.object({ leaseExpiresAt: instantMs });

const problemProgress = z.object({
  problemId: uuid,
  status: z.enum(problemStatuses),
  scoreMicro: micro.nullable(),
  reasoningScore: z.number().nullable(),
  scoreComponents: z.record(z.string(), z.unknown()).nullable(),
  inferenceFailureCount: z.number().int().nullable(),
  inferenceTotal: z.number().int().nullable(),
  executionTime: z.number().nullable(),
  logsS3Key: z.string().nullable(),
});
/** Also refused with INVALID_PROBLEM_ID when a problem is not of this run. */
const recordProgress = z.object({
  ...ownRun,
  problems: z.array(problemProgress),
  /** What later messages of the same report bring: one that is foreign refuses the report whole. */
  laterProblemIds: z.array(z.string()).optional(),
});
const recordProgressReply = z.object({ accepted: z.literal(true) });

export const episodeResult = z.object({
  envPackSha256: sha256,
  taskId: z.string(),
  family: z.string(),
  outcome: z.enum(episodeOutcomes),
  verdictCorrect: z.boolean(),
  verdictChecks: z.record(z.string(), z.enum(['passed', 'failed', 'unknown'])),
  rewardComponents: z.record(z.string(), z.unknown()),
  rewardMicro: micro.nullable(),
  wallSeconds: z.number().nullable(),
  terminalStateHash: sha256.nullable(),
  ledgerUri: z.string().nullable(),
  stepCount: z.number().int().min(0),
});
const itemStatus = z.union([z.literal(201), z.literal(404), z.literal(409), z.literal(422)]);
/**
 * As edges of the version before send them: shape-valid items of one run, in request order; each gets
 * its own status, never a refusal.
 */
const appendRows = z.object({ ...ownRun, results: z.array(episodeResult).max(500) });
const appendRowsReply = z.object({
  items: z.array(
    z.object({
      status: itemStatus,
      episodeResultId: uuid.nullable(),
      error: z.string().nullable(),
    }),
  ),
});
/** The same with a column for each field, whose shape the edge has seen to, item by item. */
const appendColumns = z.object({ ...ownRun, columns: resultColumns });
/** Items that are not named were stored, under the ids that came with them. */
const appendColumnsReply = z.object({
  refusals: z.array(
    z.object({ index: z.number().int(), status: itemStatus, error: z.string().nullable() }),
  ),
});

/** Registers an upload so that a result may refer to it; idempotent per (run, sha256). */
const presignArtifact = z.object({
  ...ownRun,
  envPackSha256: sha256,
  artifactSha256: sha256,
  contentLength: z.number().int().positive(),
});
/** Also refused with PACK_MISMATCH, and with AT_CAPACITY beyond the run's share of artifacts. */
const presignArtifactReply = z.object({ leaseExpiresAt: instantMs });

/**
 * Asks whether the caller may upload logs for this run now; each time counts. Also refused with
 * INVALID_PROBLEM_ID, and with AT_CAPACITY beyond the run's share of uploads.
 */
const authorizeUpload = z.object({ ...ownRun, problemId: uuid });
const authorizeUploadReply = presignArtifactReply;

const releaseRun = z.object({ ...ownRun });
const releaseRunReply = z.object({ released: z.literal(true) });

/**
 * Of a run that is claimed and untouched: how long it is held from now on. Refusals: those of a
 * heartbeat; AT_CAPACITY of a run that was begun.
 */
const repeatClaim = z.object({ ...ownRun });
const repeatClaimReply = z.object({ leaseExpiresAt: instantMs });

/** Ends a run whose time is over and that nobody has marked yet; else it changes nothing. */
const settleRun = z.object({ agentVersionId: uuid, evalRunId: uuid });
const settleRunReply = z.object({ staleCount: z.number().int() });

export const terminalStatuses = ['SUCCESS', 'FAILED', 'TIMED_OUT'] as const;
const completeRun = z.object({
  ...ownRun,
  terminalStatus: z.enum(terminalStatuses),
  /** Required for SUCCESS (else MISSING_SCORE, the run stays live); ignored for others. */
  scoreMicro: micro.nullable(),
  scoreComponents: z.record(z.string(), z.unknown()).nullable(),
  resultsS3Key: z.string().nullable(),
  failureReason: z.string().nullable(),
  failureClass: z.enum(faultClasses).nullable(),
  /** Whether the claim of this run gave an inference token; left out where no blame depends on it. */
  hadToken: z.boolean().optional(),
  /** The same the other way round, of edges of the version before. */
  inferenceTokenWasNull: z.boolean().optional(),
  sandboxMetadata: z.record(z.string(), z.unknown()).nullable(),
});
/**
 * An equal replay gets the first body again; a different one RUN_ALREADY_COMPLETE. Further
 * refusals: NOT_RUN_OWNER {run_status} on STALE or CANCELLED, RESULTS_INCOMPLETE {missing_count,
 * missing_task_ids}, SCORE_MISMATCH {expected_score}; after these the run stays live.
 */
export const completeRunReply = z.object({
  evalRunId: uuid,
  status: z.string(),
  includedSuccessCount: z.number().int(),
  requiredSuccesses: z.number().int(),
  isClosed: z.boolean(),
  becameEligible: z.boolean(),
  /** Four decimal places as text, e.g. "0.4834"; null until the required successes are there. */
  finalScore: z.string().nullable(),
});

/** Requests with an answer, by command type. */
export const evalCommands = {
  'submit-version': { request: submitVersion, reply: submitVersionReply },
  'claim-work': { request: claimWork, reply: claimWorkReply },
  heartbeat: { request: heartbeat, reply: heartbeatReply },
  'record-progress': { request: recordProgress, reply: recordProgressReply },
  'append-results': {
    request: z.union([appendColumns, appendRows]),
    reply: z.union([appendColumnsReply, appendRowsReply]),
  },
  'presign-artifact': { request: presignArtifact, reply: presignArtifactReply },
  'authorize-upload': { request: authorizeUpload, reply: authorizeUploadReply },
  'release-run': { request: releaseRun, reply: releaseRunReply },
  'repeat-claim': { request: repeatClaim, reply: repeatClaimReply },
  'settle-run': { request: settleRun, reply: settleRunReply },
  'complete-run': { request: completeRun, reply: completeRunReply },
} as const;

export type EvalCommandType = keyof typeof evalCommands;
export type EvalRequest<T extends EvalCommandType> = z.infer<(typeof evalCommands)[T]['request']>;
export type EvalReply<T extends EvalCommandType> = z.infer<(typeof evalCommands)[T]['reply']>;

const ofVersion = { agentVersionId: uuid };
const ofRun = { ...ofVersion, evalRunId: uuid };
const ofRejudging = { rejudgingId: uuid, agentVersionIds: z.array(uuid) };

/**
 * Durable messages of services and race coordinators, over `evt.eval.<part>.<type>`. The first three
 * go to every partition: they say that something changed, and how things stand is read from the
 * tables. The answer to an operator's order stands in the inbox under its message id.
 */
export const evalMessages = {
  /**
   * Cancels the hotkey's live runs, excludes its runs from open work and from races that run, and
   * holds the work of a banned miner, whose live runs are cancelled.
   */
  'hotkey-banned': z.object({ hotkey: z.string() }),
  'hotkey-unbanned': z.object({ hotkey: z.string() }),
  /** Cancels the work of every other suite. */
  'suite-activated': z.object({ suiteId: z.number().int() }),
  /** Opens RACE work for entrants of this partition, once each. */
  'race-started': z.object({
    raceId: uuid,
    suiteId: z.number().int(),
    requiredSuccesses: z.number().int().min(1),
    agentVersionIds: z.array(uuid),
  }),
  /** The race is complete or cancelled: cancels its open work and the live runs on it. */
  'race-ended': z.object({ raceId: uuid, agentVersionIds: z.array(uuid), reason: z.string() }),
  /** Orders of operators. Refusals: AGENT_VERSION_NOT_FOUND, EVAL_RUN_NOT_FOUND, RACE_OVER. */
  'discard-version': z.object({ ...ofVersion, reason: z.string() }),
  /** An eligible version's discard is taken back; work that was cancelled is opened again. */
  'reinstate-version': z.object(ofVersion),
  'exclude-run': z.object({ ...ofRun, reason: z.string() }),
  'include-run': z.object(ofRun),
  /** Ends a live run as STALE at once, so that its work is offered again. */
  'reclaim-run': z.object(ofRun),
  /** Successes of this partition that other validators are to judge again; `raceIds` are their races. */
  'open-rejudging': z.object({
    ...ofRejudging,
    raceIds: z.array(uuid),
    runs: z.array(z.object(ofRun)),
  }),
  /** What was found out takes the place of what was judged; versions named are those of the runs. */
  'apply-rejudging': z.object(ofRejudging),
  'cancel-rejudging': z.object(ofRejudging),
} as const;

/** Answers to operators' orders. */
export const versionOrderReply = z.object({ ...ofVersion, state: z.string() });
export type VersionOrderReply = z.infer<typeof versionOrderReply>;

export const runOrderReply = z.object({
  evalRunId: uuid,
  status: z.string(),
  isIncluded: z.boolean(),
  /** Why a success does not count: BEYOND_REQUIRED when there was no room to include it again. */
  exclusionReason: z.string().nullable(),
});
export type RunOrderReply = z.infer<typeof runOrderReply>;

/** Public facts, on `fact.<name>`. Of what else happens the tables and the events tell. */
export const evalFacts = [
  'submission-accepted',
  'run-claimed',
  'run-ended',
  'version-eligible',
] as const;
export type EvalFact = (typeof evalFacts)[number];
