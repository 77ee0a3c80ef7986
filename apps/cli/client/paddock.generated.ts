// Written by `npm run generate` from the description of the API; not to be changed by hand.

import type { CallOptions, Send } from './call.ts';
import { Refusal } from './refusal.ts';
import type {
  AgentVersionStatus,
  ArtifactUploadTarget,
  ChatCompletion,
  Claim,
  CompletionResult,
  CredentialKey,
  CredentialListing,
  CredentialStatus,
  DefaultProvider,
  DownloadUrl,
  EpisodeResultAnswers,
  EpisodeResultItem,
  ErrorByCode,
  EvaluationRun,
  EvaluationRunDetail,
  Leaderboard,
  LegacyCredentialStatus,
  LogUploadTarget,
  MinerAgentListing,
  MinerAgentVersion,
  ModelList,
  PackDelivery,
  PendingEvaluations,
  ProblemProgress,
  Race,
  RaceBundle,
  RaceDetails,
  RaceHistory,
  RacePackDelivery,
  RaceSelection,
  Reign,
  Rejudging,
  RejudgingSummary,
  ReleasedAgentVersion,
  RunningEvaluation,
  Session,
  Similarity,
  SimilaritySummary,
  SubmissionResult,
  Suite,
  SuiteWithProblems,
  Top,
  TopMinerPayout,
  Trace,
  TraceSummary,
  Validator,
  ValidatorVariance,
  Violation,
  Webhook,
  WeightStandings,
} from './schemas.generated.ts';
import type { ServerEvent } from './server-events.ts';

export interface GetHealthAnswer {
  readonly status: 'ok';
  readonly version: string;
}

export interface GetHealthDeepAnswer {
  readonly status: 'ok' | 'unavailable';
  readonly version: string;
  readonly draining: boolean;
  readonly probes: Readonly<Record<string, {
    readonly status: 'ok' | 'failed';
    readonly duration_ms: number;
    readonly attempts: number;
    readonly reason?: string | undefined;
  }>>;
}

export interface PostAuthChallengeRequest {
  readonly body: {
    readonly hotkey: string;
  };
}

export interface PostAuthChallengeAnswer {
  readonly challenge: string;
  readonly expires_at: number;
}

export interface PostAuthSessionRequest {
  readonly body: {
    readonly hotkey: string;
    readonly challenge: string;
    readonly signature: string;
  };
}

export interface PostAuthLogoutAnswer {
  readonly success: true;
}

export interface GetPublicSuitesProblemsRequest {
  /** Number of a suite; the active one where it may be left out */
  readonly suite_id: number;
  /** Whether each problem comes with the embeddings of its titles */
  readonly include_embeddings?: boolean | undefined;
}

export interface GetPublicLeaderboardRequest {
  /** Number of a suite; the active one where it may be left out */
  readonly suite_id?: number | undefined;
  /** By which score the entries are ranked */
  readonly score_type?: 'qualifying' | 'race' | undefined;
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
  /** Part of an agent’s name or of a hotkey, in any case */
  readonly q?: string | undefined;
}

export interface GetPublicTopHistoryRequest {
  /** Number of a suite; the active one where it may be left out */
  readonly suite_id?: number | undefined;
}

export interface GetPublicRacesBundleRequest {
  /** Id of a race */
  readonly race_id: string;
}

export interface GetPublicAgentVersionsByAgentVersionIdRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
}

export interface GetPublicAgentVersionsStatusRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
}

export interface GetPublicAgentVersionsRunsRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
}

export interface GetPublicAgentVersionsProblemsRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
  /** Which runs count: those of qualifying or those of races */
  readonly phase?: 'QUALIFYING' | 'RACE' | undefined;
  /** Id of a race */
  readonly race_id?: string | undefined;
}

export interface GetPublicEvaluationRunsByEvalRunIdRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
}

export interface PostPublicArtifactsDownloadUrlRequest {
  readonly body: {
    readonly artifact_type: 'AGENT_CODE' | 'EVAL_LOGS_BUNDLE' | 'EVAL_PROBLEM_LOGS' | 'EPISODE';
    readonly agent_version_id?: string | null | undefined;
    readonly eval_run_id?: string | null | undefined;
    readonly problem_id?: string | null | undefined;
    readonly episode_result_id?: string | null | undefined;
  };
}

export interface GetPublicEpisodeResultsFeedbackRequest {
  /** Id of one stored episode result */
  readonly episode_result_id: string;
}

export interface GetPublicInferenceModelsRequest {
  /** Name of an inference provider */
  readonly provider?: string | undefined;
  /** Whether the models come in the order of their rank, with how they do */
  readonly ranked?: boolean | undefined;
}

export interface GetPublicEvaluationsPendingRequest {
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
}

export interface GetPublicRacesHistoryRequest {
  /** Number of a suite; the active one where it may be left out */
  readonly suite_id?: number | undefined;
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
}

export interface GetPublicRacesByRaceIdRequest {
  /** Id of a race */
  readonly race_id: string;
}

export interface GetPublicRacesValidatorVarianceRequest {
  /** Id of a race */
  readonly race_id: string;
}

export interface GetPublicEventsRequest {
  /** The id of the last event that was seen, or 0 for the beginning */
  readonly cursor?: number | undefined;
  /** The id of the last event that was seen; the stream goes on after it */
  readonly lastEventId?: number | undefined;
}

export interface PostMinerSubmitRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly agent_name: string;
    readonly file: Blob;
  };
}

export interface PostMinerSubmitCheckRequest {
  readonly body: {
    readonly agent_name: string;
    readonly file: Blob;
  };
}

export interface PostMinerSubmitCheckAnswer {
  readonly ok: boolean;
  readonly violations: readonly Violation[];
}

export interface GetMinerAgentsVersionsRequest {
  /** Id of an agent */
  readonly agent_id: string;
}

export interface PutMinerRaceSelectionRequest {
  readonly body: {
    readonly agent_version_id: string;
  };
}

export interface PatchMinerInferenceAuthDefaultRequest {
  readonly body: {
    readonly provider: string;
  };
}

export interface GetMinerInferenceAuthByProviderRequest {
  /** Name of an inference provider */
  readonly provider: string;
}

export interface PostMinerInferenceAuthByProviderRequest {
  /** Name of an inference provider */
  readonly provider: string;
  readonly body: {
    readonly credential: string;
  };
}

export interface DeleteMinerInferenceAuthByProviderRequest {
  /** Name of an inference provider */
  readonly provider: string;
}

export interface PostMinerInferenceAuthRotateRequest {
  /** Name of an inference provider */
  readonly provider: string;
  readonly body: {
    readonly credential: string;
  };
}

export interface PostMinerProvideraAuthRequest {
  readonly body: {
    readonly refresh_token: string;
  };
}

export interface PostInferenceChatCompletionsRequest {
  /** Name of an inference provider */
  readonly provider: string;
  readonly body: {
    readonly model: string;
    readonly models?: readonly string[] | undefined;
    readonly stream?: boolean | null | undefined;
    readonly stream_options?: {
      readonly include_usage?: boolean | null | undefined;
    } & Readonly<Record<string, unknown>> | null | undefined;
  } & Readonly<Record<string, unknown>>;
}

export interface PostValidatorWorkClaimRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly service_versions?: Readonly<Record<string, unknown>> | null | undefined;
    readonly cpu_pct?: number | null | undefined;
    readonly ram_pct?: number | null | undefined;
    readonly disk_pct?: number | null | undefined;
    readonly docker_container_count?: number | null | undefined;
  } | null | undefined;
}

export interface PostValidatorEvaluationRunsHeartbeatRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
  readonly body?: {
    readonly service_versions?: Readonly<Record<string, unknown>> | null | undefined;
    readonly cpu_pct?: number | null | undefined;
    readonly ram_pct?: number | null | undefined;
    readonly disk_pct?: number | null | undefined;
    readonly docker_container_count?: number | null | undefined;
  } | null | undefined;
}

export interface PostValidatorEvaluationRunsHeartbeatAnswer {
  /** Without another heartbeat. However often it beats, a run ends NO_PROGRESS_SECONDS (an hour) after its last new result or report of progress, and RUN_LIMIT_SECONDS (two hours) after its claim. */
  readonly lease_expires_at: string;
}

export interface GetValidatorEvaluationRunsProblemsRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
}

export interface GetValidatorEvaluationRunsProblemsAnswer {
  readonly problems: readonly {
    readonly problem_id: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  }[];
}

export interface PostValidatorEvaluationRunsProgressRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
  readonly body: {
    readonly problems: readonly ({
      readonly problem_id: string;
      readonly status: 'PENDING' | 'RUNNING' | 'SUCCESS' | 'FAILED' | 'SKIPPED' | 'TIMED_OUT';
      readonly score?: number | null | undefined;
      readonly reasoning_score?: number | null | undefined;
      readonly score_components_summary?: Readonly<Record<string, unknown>> | null | undefined;
      readonly inference_failure_count?: number | null | undefined;
      readonly inference_total?: number | null | undefined;
      readonly execution_time?: number | null | undefined;
      readonly logs_s3_key?: string | null | undefined;
    })[];
  };
}

export interface PostValidatorEvaluationRunsProgressAnswer {
  readonly accepted: true;
}

export interface PostValidatorEpisodeResultsRequest {
  readonly body: {
    /** One that is not like this is answered 422 on its own; more than 200000 lists, objects and texts in the body, names among them, are 413 */
    readonly results: readonly EpisodeResultItem[];
  };
}

export interface PostValidatorEpisodeArtifactsPresignRequest {
  readonly body: {
    readonly eval_run_id: string;
    readonly env_pack_sha256: string;
    readonly artifact_sha256: string;
    readonly content_length: number;
  };
}

export interface PostValidatorUploadsPresignRequest {
  readonly body: {
    readonly content_length: number;
    readonly eval_run_id: string;
    readonly problem_id: string;
    readonly content_type?: string | undefined;
  };
}

export interface PostValidatorEvaluationRunsCompleteRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly terminal_status: 'SUCCESS' | 'FAILED' | 'TIMED_OUT';
    readonly validator_score?: number | null | undefined;
    readonly score_components?: Readonly<Record<string, unknown>> | null | undefined;
    readonly results_s3_key?: string | null | undefined;
    readonly failure_reason?: string | null | undefined;
    readonly failure_class?: 'AGENT' | 'VALIDATOR' | 'PROVIDER' | 'PLATFORM' | 'INTEGRITY' | 'UNATTRIBUTED' | null | undefined;
    readonly sandbox_metadata?: {
      readonly exit_code?: number | null | undefined;
      readonly duration_seconds?: number | null | undefined;
      readonly stderr_tail?: string | null | undefined;
    } | null | undefined;
  };
}

export interface PostValidatorEvaluationRunsReleaseRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
}

export interface PostValidatorEvaluationRunsReleaseAnswer {
  readonly released: true;
}

export interface GetValidatorPackByPackSha256Request {
  /** SHA-256 of the environment pack, 64 lower-case hex digits */
  readonly pack_sha256: string;
}

export interface PostValidatorRacePackRequest {
  /** Id of a race */
  readonly race_id: string;
}

export interface PostAdminPacksRequest {
  /** Why; it stands in the audit log */
  readonly reason?: string | undefined;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: Blob;
}

export interface PostAdminPacksAnswer {
  readonly pack_sha256: string;
  readonly size_bytes: number;
  readonly task_count: number;
  readonly family_counts: Readonly<Record<string, number>>;
  readonly contract_version: string;
  readonly runtime_version: string;
  readonly tool_contract_version: string;
  readonly verifier_version: string;
  readonly result_schema_version: string;
  readonly catalog_epoch: string;
  readonly catalog_sha256: string;
  readonly search_index_epoch: string | null;
  readonly search_index_sha256: string | null;
  readonly display_name: string;
  readonly environment_revision: string;
}

export interface PostAdminSuitesRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly benchmark_name: string;
    readonly benchmark_number: number;
    readonly execution_kind: 'legacy_benchmark' | 'envpack';
    readonly env_pack_sha256?: string | null | undefined;
    readonly qualifying_task_ids?: readonly string[] | null | undefined;
    readonly problems?: readonly ({
      readonly problem_id?: string | null | undefined;
      readonly metadata: Readonly<Record<string, unknown>>;
    })[] | null | undefined;
    readonly race_problems?: readonly ({
      readonly problem_id?: string | null | undefined;
      readonly metadata: Readonly<Record<string, unknown>>;
    })[] | null | undefined;
    readonly qualifying_threshold?: number | null | undefined;
    readonly required_successes_qualifying?: number | null | undefined;
    readonly required_successes_race?: number | null | undefined;
    readonly reason?: string | null | undefined;
  };
}

export interface PostAdminSuitesActivateRequest {
  /** Number of a suite; the active one where it may be left out */
  readonly suite_id: number;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PutAdminHotkeysBanRequest {
  /** SS58 address with prefix 42 */
  readonly hotkey: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly reason: string;
  };
}

export interface PutAdminHotkeysBanAnswer {
  readonly hotkey: string;
  readonly banned: boolean;
  readonly reason: string;
  readonly banned_at: string;
}

export interface DeleteAdminHotkeysBanRequest {
  /** SS58 address with prefix 42 */
  readonly hotkey: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface DeleteAdminHotkeysBanAnswer {
  readonly hotkey: string;
  readonly banned: boolean;
  readonly was_banned: boolean;
}

export interface PostAdminRacesCloseQualifyingRequest {
  /** Id of a race */
  readonly race_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminRacesStartRequest {
  /** Id of a race */
  readonly race_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminRacesCancelRequest {
  /** Id of a race */
  readonly race_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly reason: string;
  };
}

export interface PostAdminAgentVersionsDiscardRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly reason: string;
  };
}

export interface PostAdminAgentVersionsDiscardAnswer {
  readonly agent_version_id: string;
  readonly state: string;
}

export interface PostAdminAgentVersionsReinstateRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminAgentVersionsReinstateAnswer {
  readonly agent_version_id: string;
  readonly state: string;
}

export interface GetAdminAgentVersionsSimilarityRequest {
  /** Id of an agent version */
  readonly agent_version_id: string;
}

export interface GetAdminSimilarityRequest {
  /** Only reports with this verdict */
  readonly verdict?: 'clean' | 'suspicious' | 'copy' | undefined;
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
}

export interface GetAdminSimilarityAnswer {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly reports: readonly SimilaritySummary[];
}

export interface PostAdminEvaluationRunsExcludeRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly reason: string;
  };
}

export interface PostAdminEvaluationRunsExcludeAnswer {
  readonly eval_run_id: string;
  readonly status: string;
  readonly is_included: boolean;
  /** Why its success does not count: BEYOND_REQUIRED, INCOMPLETE, REJUDGED, REJUDGING, SAME_VALIDATOR, VALIDATOR_BANNED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly exclusion_reason: string | null;
}

export interface PostAdminEvaluationRunsIncludeRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminEvaluationRunsIncludeAnswer {
  readonly eval_run_id: string;
  readonly status: string;
  readonly is_included: boolean;
  /** Why its success does not count: BEYOND_REQUIRED, INCOMPLETE, REJUDGED, REJUDGING, SAME_VALIDATOR, VALIDATOR_BANNED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly exclusion_reason: string | null;
}

export interface PostAdminEvaluationRunsReclaimRequest {
  /** Id of an evaluation run */
  readonly eval_run_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminEvaluationRunsReclaimAnswer {
  readonly eval_run_id: string;
  readonly status: string;
  readonly is_included: boolean;
  /** Why its success does not count: BEYOND_REQUIRED, INCOMPLETE, REJUDGED, REJUDGING, SAME_VALIDATOR, VALIDATOR_BANNED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly exclusion_reason: string | null;
}

export interface PostAdminRejudgingsRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly validator_hotkey?: string | null | undefined;
    readonly agent_version_id?: string | null | undefined;
    readonly phase?: 'QUALIFYING' | 'RACE' | null | undefined;
    readonly task_id?: string | null | undefined;
    readonly env_pack_sha256?: string | null | undefined;
    readonly claimed_from?: string | null | undefined;
    readonly claimed_until?: string | null | undefined;
    readonly reason?: string | null | undefined;
  };
}

export interface GetAdminRejudgingsRequest {
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
}

export interface GetAdminRejudgingsAnswer {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly rejudgings: readonly RejudgingSummary[];
}

export interface GetAdminRejudgingsByRejudgingIdRequest {
  /** Id of a rejudging */
  readonly rejudging_id: string;
}

export interface PostAdminRejudgingsApplyRequest {
  /** Id of a rejudging */
  readonly rejudging_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminRejudgingsCancelRequest {
  /** Id of a rejudging */
  readonly rejudging_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly reason: string;
  };
}

export interface GetAdminPolicyAnswer {
  readonly qualifying_threshold: number;
  readonly margin_initial: number;
  readonly margin_half_life_days: number;
  readonly margin_floor: number;
  readonly emission_baseline_burn_rate: number;
  readonly required_successes_qualifying: number;
  readonly required_successes_race: number;
  readonly elimination_share: number;
  readonly race_tasks: number;
  readonly race_limit_seconds: number;
  readonly score_window_races: number;
  readonly policy_version: number;
  readonly overrides: {
    readonly qualifying_threshold: number | null;
    readonly margin_initial: number | null;
    readonly margin_half_life_days: number | null;
    readonly margin_floor: number | null;
    readonly emission_baseline_burn_rate: number | null;
    readonly required_successes_qualifying: number | null;
    readonly required_successes_race: number | null;
    readonly elimination_share: number | null;
    readonly race_tasks: number | null;
    readonly race_limit_seconds: number | null;
    readonly score_window_races: number | null;
  };
  readonly current_race: {
    readonly qualifying_threshold: number;
    readonly margin_initial: number;
    readonly margin_half_life_days: number;
    readonly margin_floor: number;
    readonly emission_baseline_burn_rate: number;
    readonly required_successes_race: number;
    readonly elimination_share: number;
    readonly race_tasks: number;
    readonly race_limit_seconds: number;
    readonly score_window_races: number;
    readonly race_id: string;
    readonly race_number: number;
    readonly policy_version: number;
  } | null;
  readonly history: readonly ({
    readonly policy_version: number;
    readonly changed_by: string;
    readonly reason: string | null;
    readonly changed_at: string;
    readonly overrides: {
      readonly qualifying_threshold: number | null;
      readonly margin_initial: number | null;
      readonly margin_half_life_days: number | null;
      readonly margin_floor: number | null;
      readonly emission_baseline_burn_rate: number | null;
      readonly required_successes_qualifying: number | null;
      readonly required_successes_race: number | null;
      readonly elimination_share: number | null;
      readonly race_tasks: number | null;
      readonly race_limit_seconds: number | null;
      readonly score_window_races: number | null;
    };
  })[];
}

export interface PatchAdminPolicyRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly qualifying_threshold?: number | null | undefined;
    readonly margin_initial?: number | null | undefined;
    readonly margin_half_life_days?: number | null | undefined;
    readonly margin_floor?: number | null | undefined;
    readonly emission_baseline_burn_rate?: number | null | undefined;
    readonly required_successes_qualifying?: number | null | undefined;
    readonly required_successes_race?: number | null | undefined;
    readonly elimination_share?: number | null | undefined;
    readonly race_tasks?: number | null | undefined;
    readonly race_limit_seconds?: number | null | undefined;
    readonly score_window_races?: number | null | undefined;
    readonly reason?: string | null | undefined;
  };
}

export interface PatchAdminPolicyAnswer {
  readonly qualifying_threshold: number;
  readonly margin_initial: number;
  readonly margin_half_life_days: number;
  readonly margin_floor: number;
  readonly emission_baseline_burn_rate: number;
  readonly required_successes_qualifying: number;
  readonly required_successes_race: number;
  readonly elimination_share: number;
  readonly race_tasks: number;
  readonly race_limit_seconds: number;
  readonly score_window_races: number;
  readonly policy_version: number;
  readonly overrides: {
    readonly qualifying_threshold: number | null;
    readonly margin_initial: number | null;
    readonly margin_half_life_days: number | null;
    readonly margin_floor: number | null;
    readonly emission_baseline_burn_rate: number | null;
    readonly required_successes_qualifying: number | null;
    readonly required_successes_race: number | null;
    readonly elimination_share: number | null;
    readonly race_tasks: number | null;
    readonly race_limit_seconds: number | null;
    readonly score_window_races: number | null;
  };
  readonly current_race: {
    readonly qualifying_threshold: number;
    readonly margin_initial: number;
    readonly margin_half_life_days: number;
    readonly margin_floor: number;
    readonly emission_baseline_burn_rate: number;
    readonly required_successes_race: number;
    readonly elimination_share: number;
    readonly race_tasks: number;
    readonly race_limit_seconds: number;
    readonly score_window_races: number;
    readonly race_id: string;
    readonly race_number: number;
    readonly policy_version: number;
  } | null;
  readonly history: readonly ({
    readonly policy_version: number;
    readonly changed_by: string;
    readonly reason: string | null;
    readonly changed_at: string;
    readonly overrides: {
      readonly qualifying_threshold: number | null;
      readonly margin_initial: number | null;
      readonly margin_half_life_days: number | null;
      readonly margin_floor: number | null;
      readonly emission_baseline_burn_rate: number | null;
      readonly required_successes_qualifying: number | null;
      readonly required_successes_race: number | null;
      readonly elimination_share: number | null;
      readonly race_tasks: number | null;
      readonly race_limit_seconds: number | null;
      readonly score_window_races: number | null;
    };
  })[];
}

export interface PutAdminChainRegistrationsByHotkeyRequest {
  /** SS58 address with prefix 42 */
  readonly hotkey: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly role: 'miner' | 'validator';
    readonly stake?: number | null | undefined;
    readonly coldkey?: string | null | undefined;
    readonly uid?: number | null | undefined;
    readonly reason?: string | null | undefined;
  };
}

export interface PutAdminChainRegistrationsByHotkeyAnswer {
  readonly hotkey: string;
  readonly uid: number;
  readonly role: 'miner' | 'validator';
  readonly stake: number;
  readonly coldkey: string | null;
}

export interface DeleteAdminChainRegistrationsByHotkeyRequest {
  /** SS58 address with prefix 42 */
  readonly hotkey: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface DeleteAdminChainRegistrationsByHotkeyAnswer {
  readonly hotkey: string;
  readonly removed: boolean;
}

export interface GetAdminPartitionsAnswer {
  readonly partitions: readonly ({
    readonly kind: string;
    readonly part: number;
    readonly epoch: number;
    readonly owner: string | null;
    readonly is_owner_live: boolean;
  })[];
  readonly members: readonly {
    readonly member_id: string;
    readonly is_live: boolean;
    readonly is_draining: boolean;
    readonly joined_at: string;
    readonly partition_count: number;
  }[];
}

export interface GetAdminStuckAnswer {
  readonly stuck: readonly ({
    readonly kind: string;
    readonly id: string;
    readonly state: string;
    readonly since: string | null;
    readonly deadline: string | null;
    readonly owner: string | null;
    readonly why: string;
  })[];
  readonly total: number;
  readonly may_be_more: boolean;
  readonly unknown_kinds: readonly string[];
  readonly checked_at: string;
}

export interface GetAdminParkedMessagesRequest {
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
}

export interface GetAdminParkedMessagesAnswer {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly parked_messages: readonly ({
    readonly msg_id: string;
    readonly subject: string;
    readonly consumer: string | null;
    readonly error: string;
    readonly body: string;
    readonly is_body_cut: boolean;
    readonly parked_at: string;
    readonly can_be_resent: boolean;
  })[];
}

export interface PostAdminParkedMessagesResendRequest {
  /** Id of a parked message */
  readonly msg_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminParkedMessagesResendAnswer {
  readonly msg_id: string;
  readonly subject: string;
}

export interface PostAdminParkedMessagesDropRequest {
  /** Id of a parked message */
  readonly msg_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly reason: string;
  };
}

export interface PostAdminParkedMessagesDropAnswer {
  readonly msg_id: string;
  readonly subject: string;
}

export interface GetAdminTracesRequest {
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
  /** A part of the name that the trace began with */
  readonly route?: string | undefined;
  /** Only traces that ended so */
  readonly outcome?: 'done' | 'refused' | 'failed' | undefined;
  /** Of a trace, a run or anything else that a span names */
  readonly text?: string | undefined;
  /** Which come first */
  readonly order?: 'newest' | 'slowest' | undefined;
}

export interface GetAdminTracesAnswer {
  readonly is_kept: boolean;
  readonly sent_to: string | null;
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly traces: readonly TraceSummary[];
}

export interface GetAdminTracesByTraceIdRequest {
  /** Id of a trace, which X-Request-Id and log lines name */
  readonly trace_id: string;
}

export interface PostAdminActorsDrainRequest {
  /** Id of an actor, as the list of partitions says it */
  readonly id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface PostAdminActorsDrainAnswer {
  readonly member_id: string;
  readonly is_draining: boolean;
  readonly partition_count: number;
}

export interface GetAdminOverviewAnswer {
  readonly active_suite_id: number | null;
  readonly current_race: {
    readonly race_id: string;
    readonly race_number: number;
    readonly status: string;
    readonly qualifying_closes_at: string;
    readonly deadline_at: string | null;
    readonly work: {
      readonly items: number;
      readonly open: number;
      readonly live_runs: number;
      readonly held: readonly ({
        /** Why they are not offered: MINER_BANNED, REPEATED_FAILURES. infra/reference/reasons.md says what each means. */
        readonly hold_reason: string;
        readonly items: number;
        readonly next_ends_at: string | null;
      })[];
    };
  } | null;
  readonly race_tasks: {
    readonly held_out: number;
    readonly unraced: number;
    readonly asked_for: number;
  } | null;
  readonly top: {
    readonly agent_version_id: string;
    readonly miner_hotkey: string;
    readonly score: number;
    readonly top_at: string;
  } | null;
  readonly open_work_items: number;
  readonly live_runs: number;
  readonly waiting_versions: number;
  readonly banned_hotkeys: number;
  readonly validators_active: number;
  readonly outbox_pending: number;
  readonly outbox_oldest_at: string | null;
  readonly outbox_may_be_more: boolean;
  readonly parked_messages: number;
  readonly partitions_without_owner: number;
  readonly stuck_records: number;
  readonly stuck_may_be_more: boolean;
  readonly inference: readonly {
    readonly provider: string;
    readonly requests: number;
    readonly failures: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
  }[];
}

export interface GetAdminAuditLogRequest {
  /** At most this many entries */
  readonly limit?: number | undefined;
  /** So many entries are left out before the first */
  readonly offset?: number | undefined;
}

export interface GetAdminAuditLogAnswer {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly entries: readonly ({
    readonly seq: number;
    readonly actor: string;
    readonly action: string;
    readonly object: string;
    readonly reason: string | null;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly prev_hash: string;
    readonly hash: string;
    readonly committed_at: string;
  })[];
}

export interface PostAdminWebhooksRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly url: string;
    readonly event_types?: readonly ('submission-accepted' | 'version-eligible' | 'run-claimed' | 'run-ended' | 'race-opened' | 'race-closed' | 'race-started' | 'race-completed' | 'race-cancelled' | 'top-changed' | 'code-released' | 'history-restored')[] | null | undefined;
    readonly secret?: string | null | undefined;
    readonly reason?: string | null | undefined;
  };
}

export interface PostAdminWebhooksAnswer {
  readonly webhook_id: string;
  readonly url: string;
  readonly event_types: readonly ('submission-accepted' | 'version-eligible' | 'run-claimed' | 'run-ended' | 'race-opened' | 'race-closed' | 'race-started' | 'race-completed' | 'race-cancelled' | 'top-changed' | 'code-released' | 'history-restored')[] | null;
  readonly cursor: number;
  readonly created_at: string;
  readonly secret: string;
}

export interface GetAdminWebhooksAnswer {
  readonly webhooks: readonly Webhook[];
}

export interface GetAdminCredentialKeysAnswer {
  readonly keys: readonly CredentialKey[];
}

export interface GetAdminWebhooksByWebhookIdRequest {
  /** Id of a registered webhook */
  readonly webhook_id: string;
}

export interface DeleteAdminWebhooksByWebhookIdRequest {
  /** Id of a registered webhook */
  readonly webhook_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body?: {
    readonly reason?: string | null | undefined;
  } | null | undefined;
}

export interface DeleteAdminWebhooksByWebhookIdAnswer {
  readonly webhook_id: string;
  readonly removed: boolean;
}

export interface PostAdminWebhooksReplayRequest {
  /** Id of a registered webhook */
  readonly webhook_id: string;
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly cursor: number;
    readonly reason?: string | null | undefined;
  };
}

export interface PostAdminWebhooksReplayAnswer {
  readonly webhook_id: string;
  readonly cursor: number;
}

export interface GetAdminClockAnswer {
  readonly clock: 'real' | 'simulated';
  readonly now: string;
}

export interface PostAdminClockAdvanceRequest {
  /** Repeats under one key are carried out once. */
  readonly idempotencyKey?: string | undefined;
  readonly body: {
    readonly seconds: number;
    readonly reason?: string | null | undefined;
  };
}

export interface PostAdminClockAdvanceAnswer {
  readonly now: string;
  readonly advanced_seconds: number;
}

/** Every operation of the service as a method. */
export type PaddockClient = ReturnType<typeof paddockClient>;

export function paddockClient(send: Send) {
  return {
    /**
     * Say that the process is alive, without touching anything
     */
    getHealth: async (
      options?: CallOptions,
    ): Promise<GetHealthAnswer> =>
      (await send(
        { method: 'GET', path: '/health', proof: 'none', query: [] },
        {},
        options,
      )) as GetHealthAnswer,

    /**
     * Say whether a write would be accepted now; 503 when not
     */
    getHealthDeep: async (
      options?: CallOptions,
    ): Promise<GetHealthDeepAnswer> =>
      (await send(
        { method: 'GET', path: '/health/deep', proof: 'none', query: [] },
        {},
        options,
      )) as GetHealthDeepAnswer,

    /**
     * Describe every route, OpenAPI 3.1
     */
    getOpenapiJson: async (
      options?: CallOptions,
    ): Promise<Readonly<Record<string, unknown>>> =>
      (await send(
        { method: 'GET', path: '/openapi.json', proof: 'none', query: [] },
        {},
        options,
      )) as Readonly<Record<string, unknown>>,

    /**
     * Show the description to a person
     */
    getDocs: async (
      options?: CallOptions,
    ): Promise<string> =>
      (await send(
        { method: 'GET', path: '/docs', proof: 'none', query: [], answers: ['text/html'] },
        {},
        options,
      )) as string,

    /**
     * Get a text to sign for a session
     */
    postAuthChallenge: async (
      request: PostAuthChallengeRequest, options?: CallOptions,
    ): Promise<PostAuthChallengeAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/auth/challenge', proof: 'none', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as PostAuthChallengeAnswer,

    /**
     * Exchange a signed challenge for a session token
     */
    postAuthSession: async (
      request: PostAuthSessionRequest, options?: CallOptions,
    ): Promise<Session> =>
      (await send(
        { method: 'POST', path: '/v1/auth/session', proof: 'none', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as Session,

    /**
     * End the session that the Bearer token stands for
     */
    postAuthLogout: async (
      options?: CallOptions,
    ): Promise<PostAuthLogoutAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/auth/logout', proof: 'hotkey', query: [] },
        {},
        options,
      )) as PostAuthLogoutAnswer,

    /**
     * All suites, newest version first
     */
    getPublicSuites: async (
      options?: CallOptions,
    ): Promise<readonly Suite[]> =>
      (await send(
        { method: 'GET', path: '/v1/public/suites', proof: 'none', query: [] },
        {},
        options,
      )) as readonly Suite[],

    /**
     * The suite that submissions are evaluated on now
     * @throws Refusal SUITE_NOT_FOUND
     */
    getPublicSuitesCurrent: async (
      options?: CallOptions,
    ): Promise<Suite> =>
      (await send(
        { method: 'GET', path: '/v1/public/suites/current', proof: 'none', query: [] },
        {},
        options,
      )) as Suite,

    /**
     * The public problems or tasks of a suite, in order
     * @throws Refusal SUITE_NOT_FOUND
     */
    getPublicSuitesProblems: async (
      request: GetPublicSuitesProblemsRequest, options?: CallOptions,
    ): Promise<SuiteWithProblems> =>
      (await send(
        { method: 'GET', path: '/v1/public/suites/{suite_id}/problems', proof: 'none', query: ['include_embeddings'] },
        request,
        options,
      )) as SuiteWithProblems,

    /**
     * Eligible agent versions of a suite, best first
     * @throws Refusal SUITE_NOT_FOUND
     */
    getPublicLeaderboard: async (
      request: GetPublicLeaderboardRequest = {}, options?: CallOptions,
    ): Promise<Leaderboard> =>
      (await send(
        { method: 'GET', path: '/v1/public/leaderboard', proof: 'none', query: ['suite_id', 'score_type', 'limit', 'offset', 'q'] },
        request,
        options,
      )) as Leaderboard,

    /**
     * The top agent, and what beating it takes now
     */
    getPublicTop: async (
      options?: CallOptions,
    ): Promise<Top> =>
      (await send(
        { method: 'GET', path: '/v1/public/top', proof: 'none', query: [] },
        {},
        options,
      )) as Top,

    /**
     * All versions that ever were top, newest first
     * @throws Refusal SUITE_NOT_FOUND
     */
    getPublicTopHistory: async (
      request: GetPublicTopHistoryRequest = {}, options?: CallOptions,
    ): Promise<readonly Reign[]> =>
      (await send(
        { method: 'GET', path: '/v1/public/top/history', proof: 'none', query: ['suite_id'] },
        request,
        options,
      )) as readonly Reign[],

    /**
     * The top miner's estimated payout per day
     */
    getPublicTopMinerPayout: async (
      options?: CallOptions,
    ): Promise<TopMinerPayout> =>
      (await send(
        { method: 'GET', path: '/v1/public/top-miner-payout', proof: 'none', query: [] },
        {},
        options,
      )) as TopMinerPayout,

    /**
     * Everything that anybody needs to compute a race again, signed
     * @throws Refusal RACE_IN_FLIGHT, ARTIFACT_NOT_FOUND, RACE_NOT_FOUND
     */
    getPublicRacesBundle: async (
      request: GetPublicRacesBundleRequest, options?: CallOptions,
    ): Promise<RaceBundle> =>
      (await send(
        { method: 'GET', path: '/v1/public/races/{race_id}/bundle', proof: 'none', query: [] },
        request,
        options,
      )) as RaceBundle,

    /**
     * A version whose code is public, with its scores in completed races
     * @throws Refusal AGENT_VERSION_NOT_FOUND, ARTIFACT_NOT_RELEASED
     */
    getPublicAgentVersionsByAgentVersionId: async (
      request: GetPublicAgentVersionsByAgentVersionIdRequest, options?: CallOptions,
    ): Promise<ReleasedAgentVersion> =>
      (await send(
        { method: 'GET', path: '/v1/public/agent-versions/{agent_version_id}', proof: 'none', query: [] },
        request,
        options,
      )) as ReleasedAgentVersion,

    /**
     * Where an agent version is, why, and what comes next
     * @throws Refusal AGENT_VERSION_NOT_FOUND
     */
    getPublicAgentVersionsStatus: async (
      request: GetPublicAgentVersionsStatusRequest, options?: CallOptions,
    ): Promise<AgentVersionStatus> =>
      (await send(
        { method: 'GET', path: '/v1/public/agent-versions/{agent_version_id}/status', proof: 'none', query: [] },
        request,
        options,
      )) as AgentVersionStatus,

    /**
     * The newest 500 evaluation runs of an agent version and older ones that go on or count, oldest first
     * @throws Refusal AGENT_VERSION_NOT_FOUND
     */
    getPublicAgentVersionsRuns: async (
      request: GetPublicAgentVersionsRunsRequest, options?: CallOptions,
    ): Promise<readonly EvaluationRun[]> =>
      (await send(
        { method: 'GET', path: '/v1/public/agent-versions/{agent_version_id}/runs', proof: 'none', query: [] },
        request,
        options,
      )) as readonly EvaluationRun[],

    /**
     * What every validator saw of an agent version, by problem and by run
     * @throws Refusal AGENT_VERSION_NOT_FOUND
     */
    getPublicAgentVersionsProblems: async (
      request: GetPublicAgentVersionsProblemsRequest, options?: CallOptions,
    ): Promise<ProblemProgress> =>
      (await send(
        { method: 'GET', path: '/v1/public/agent-versions/{agent_version_id}/problems', proof: 'none', query: ['phase', 'race_id'] },
        request,
        options,
      )) as ProblemProgress,

    /**
     * One evaluation run with its problems and results
     * @throws Refusal EVAL_RUN_NOT_FOUND
     */
    getPublicEvaluationRunsByEvalRunId: async (
      request: GetPublicEvaluationRunsByEvalRunIdRequest, options?: CallOptions,
    ): Promise<EvaluationRunDetail> =>
      (await send(
        { method: 'GET', path: '/v1/public/evaluation-runs/{eval_run_id}', proof: 'none', query: [] },
        request,
        options,
      )) as EvaluationRunDetail,

    /**
     * Where to download released code, logs or an episode
     * @throws Refusal INVALID_ARTIFACT_TYPE, MISSING_PARAMETER, RACE_IN_FLIGHT, AGENT_VERSION_NOT_FOUND, ARTIFACT_NOT_FOUND, ARTIFACT_NOT_RELEASED, EVAL_RUN_NOT_FOUND
     */
    postPublicArtifactsDownloadUrl: async (
      request: PostPublicArtifactsDownloadUrlRequest, options?: CallOptions,
    ): Promise<DownloadUrl> =>
      (await send(
        { method: 'POST', path: '/v1/public/artifacts/download-url', proof: 'none', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as DownloadUrl,

    /**
     * One episode's document as its validator stored it, once it is released
     * @throws Refusal ARTIFACT_NOT_FOUND
     */
    getPublicEpisodeResultsFeedback: async (
      request: GetPublicEpisodeResultsFeedbackRequest, options?: CallOptions,
    ): Promise<unknown> =>
      (await send(
        { method: 'GET', path: '/v1/public/episode-results/{episode_result_id}/feedback', proof: 'none', query: [] },
        request,
        options,
      )) as unknown,

    /**
     * Models that agents may call at one provider, flat or ranked by health and load
     */
    getPublicInferenceModels: async (
      request: GetPublicInferenceModelsRequest = {}, options?: CallOptions,
    ): Promise<ModelList> =>
      (await send(
        { method: 'GET', path: '/v1/public/inference/models', proof: 'none', query: ['provider', 'ranked'] },
        request,
        options,
      )) as ModelList,

    /**
     * Validators that are not banned, with what they do and when they were last seen
     */
    getPublicValidators: async (
      options?: CallOptions,
    ): Promise<readonly Validator[]> =>
      (await send(
        { method: 'GET', path: '/v1/public/validators', proof: 'none', query: [] },
        {},
        options,
      )) as readonly Validator[],

    /**
     * Runs that are claimed or running now, oldest first
     */
    getPublicEvaluationsRunning: async (
      options?: CallOptions,
    ): Promise<readonly RunningEvaluation[]> =>
      (await send(
        { method: 'GET', path: '/v1/public/evaluations/running', proof: 'none', query: [] },
        {},
        options,
      )) as readonly RunningEvaluation[],

    /**
     * Work that still needs runs, in the order in which it is handed out
     */
    getPublicEvaluationsPending: async (
      request: GetPublicEvaluationsPendingRequest = {}, options?: CallOptions,
    ): Promise<PendingEvaluations> =>
      (await send(
        { method: 'GET', path: '/v1/public/evaluations/pending', proof: 'none', query: ['limit', 'offset'] },
        request,
        options,
      )) as PendingEvaluations,

    /**
     * The active suite's race that has not ended, with its qualifiers
     */
    getPublicRacesCurrent: async (
      options?: CallOptions,
    ): Promise<RaceDetails> =>
      (await send(
        { method: 'GET', path: '/v1/public/races/current', proof: 'none', query: [] },
        {},
        options,
      )) as RaceDetails,

    /**
     * Completed and cancelled races, most recent first
     * @throws Refusal SUITE_NOT_FOUND
     */
    getPublicRacesHistory: async (
      request: GetPublicRacesHistoryRequest = {}, options?: CallOptions,
    ): Promise<RaceHistory> =>
      (await send(
        { method: 'GET', path: '/v1/public/races/history', proof: 'none', query: ['suite_id', 'limit', 'offset'] },
        request,
        options,
      )) as RaceHistory,

    /**
     * One race with its qualifiers, and their results once it is complete
     * @throws Refusal RACE_NOT_FOUND
     */
    getPublicRacesByRaceId: async (
      request: GetPublicRacesByRaceIdRequest, options?: CallOptions,
    ): Promise<RaceDetails> =>
      (await send(
        { method: 'GET', path: '/v1/public/races/{race_id}', proof: 'none', query: [] },
        request,
        options,
      )) as RaceDetails,

    /**
     * How far the validators of a race differ over the same versions
     * @throws Refusal RACE_NOT_FOUND
     */
    getPublicRacesValidatorVariance: async (
      request: GetPublicRacesValidatorVarianceRequest, options?: CallOptions,
    ): Promise<ValidatorVariance> =>
      (await send(
        { method: 'GET', path: '/v1/public/races/{race_id}/validator-variance', proof: 'none', query: [] },
        request,
        options,
      )) as ValidatorVariance,

    /**
     * The public feed as server-sent events, gap-free from `Last-Event-ID` or else from `cursor` on (0: from the beginning), and without either from now on; `heartbeat`, which has no id, is no event: a stream begins with one, and a quiet one sends one every 15 seconds
     */
    getPublicEvents: async (
      request: GetPublicEventsRequest = {}, options?: CallOptions,
    ): Promise<AsyncIterable<ServerEvent>> =>
      (await send(
        { method: 'GET', path: '/v1/public/events', proof: 'none', query: ['cursor'], headers: { 'Last-Event-ID': 'lastEventId' }, answers: ['text/event-stream'] },
        request,
        options,
      )) as AsyncIterable<ServerEvent>,

    /**
     * Submit one Python agent file
     * @throws Refusal INVALID_AGENT_NAME, INVALID_FILE
     */
    postMinerSubmit: async (
      request: PostMinerSubmitRequest, options?: CallOptions,
    ): Promise<SubmissionResult> =>
      (await send(
        { method: 'POST', path: '/v1/miner/submit', proof: 'hotkey', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'multipart/form-data' },
        request,
        options,
      )) as SubmissionResult,

    /**
     * Run every check of a submission and change nothing
     * @throws Refusal INVALID_AGENT_NAME, INVALID_FILE
     */
    postMinerSubmitCheck: async (
      request: PostMinerSubmitCheckRequest, options?: CallOptions,
    ): Promise<PostMinerSubmitCheckAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/miner/submit/check', proof: 'hotkey', query: [], bodyType: 'multipart/form-data' },
        request,
        options,
      )) as PostMinerSubmitCheckAnswer,

    /**
     * The caller's agents with their latest versions and the cooldown
     */
    getMinerAgents: async (
      options?: CallOptions,
    ): Promise<MinerAgentListing> =>
      (await send(
        { method: 'GET', path: '/v1/miner/agents', proof: 'hotkey', query: [] },
        {},
        options,
      )) as MinerAgentListing,

    /**
     * Every version of one of the caller's agents, newest first
     * @throws Refusal AGENT_NOT_FOUND
     */
    getMinerAgentsVersions: async (
      request: GetMinerAgentsVersionsRequest, options?: CallOptions,
    ): Promise<readonly MinerAgentVersion[]> =>
      (await send(
        { method: 'GET', path: '/v1/miner/agents/{agent_id}/versions', proof: 'hotkey', query: [] },
        request,
        options,
      )) as readonly MinerAgentVersion[],

    /**
     * Pin the version that races, until another is pinned or none
     * @throws Refusal AGENT_VERSION_NOT_FOUND, NOT_PINNABLE, RACE_LOCKED
     */
    putMinerRaceSelection: async (
      request: PutMinerRaceSelectionRequest, options?: CallOptions,
    ): Promise<RaceSelection> =>
      (await send(
        { method: 'PUT', path: '/v1/miner/race-selection', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as RaceSelection,

    /**
     * Let the best version race again; nothing changes where none is pinned
     * @throws Refusal RACE_LOCKED
     */
    deleteMinerRaceSelection: async (
      options?: CallOptions,
    ): Promise<RaceSelection> =>
      (await send(
        { method: 'DELETE', path: '/v1/miner/race-selection', proof: 'hotkey', query: [] },
        {},
        options,
      )) as RaceSelection,

    /**
     * Show which inference providers are connected, and which one runs are served by
     */
    getMinerInferenceAuth: async (
      options?: CallOptions,
    ): Promise<CredentialListing> =>
      (await send(
        { method: 'GET', path: '/v1/miner/inference-auth', proof: 'hotkey', query: [] },
        {},
        options,
      )) as CredentialListing,

    /**
     * Choose the connected provider that serves the miner's next runs
     * @throws Refusal NOT_CONNECTED
     */
    patchMinerInferenceAuthDefault: async (
      request: PatchMinerInferenceAuthDefaultRequest, options?: CallOptions,
    ): Promise<DefaultProvider> =>
      (await send(
        { method: 'PATCH', path: '/v1/miner/inference-auth/default', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as DefaultProvider,

    /**
     * Show whether a provider is connected: a credential is stored, and was not refused there since
     * @throws Refusal UNKNOWN_PROVIDER
     */
    getMinerInferenceAuthByProvider: async (
      request: GetMinerInferenceAuthByProviderRequest, options?: CallOptions,
    ): Promise<CredentialStatus> =>
      (await send(
        { method: 'GET', path: '/v1/miner/inference-auth/{provider}', proof: 'hotkey', query: [] },
        request,
        options,
      )) as CredentialStatus,

    /**
     * Store a credential that the provider accepts, or put another in its place; the first provider connected becomes the default
     * @throws Refusal UNKNOWN_PROVIDER
     */
    postMinerInferenceAuthByProvider: async (
      request: PostMinerInferenceAuthByProviderRequest, options?: CallOptions,
    ): Promise<CredentialStatus> =>
      (await send(
        { method: 'POST', path: '/v1/miner/inference-auth/{provider}', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as CredentialStatus,

    /**
     * Forget a provider's credential and end what was lent from it, also to live runs; a default that goes falls to the other connected provider, if there is one
     * @throws Refusal NOT_CONNECTED, UNKNOWN_PROVIDER
     */
    deleteMinerInferenceAuthByProvider: async (
      request: DeleteMinerInferenceAuthByProviderRequest, options?: CallOptions,
    ): Promise<CredentialStatus> =>
      (await send(
        { method: 'DELETE', path: '/v1/miner/inference-auth/{provider}', proof: 'hotkey', query: [] },
        request,
        options,
      )) as CredentialStatus,

    /**
     * Put another credential in the place of the stored one; live runs keep what was lent to them
     * @throws Refusal NOT_CONNECTED, UNKNOWN_PROVIDER
     */
    postMinerInferenceAuthRotate: async (
      request: PostMinerInferenceAuthRotateRequest, options?: CallOptions,
    ): Promise<CredentialStatus> =>
      (await send(
        { method: 'POST', path: '/v1/miner/inference-auth/{provider}/rotate', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as CredentialStatus,

    /**
     * Show whether providera is connected
     * @deprecated Replaced by /v1/miner/inference-auth/providera.
     */
    getMinerProvideraAuthStatus: async (
      options?: CallOptions,
    ): Promise<LegacyCredentialStatus> =>
      (await send(
        { method: 'GET', path: '/v1/miner/providera-auth/status', proof: 'hotkey', query: [] },
        {},
        options,
      )) as LegacyCredentialStatus,

    /**
     * Store providera's credential
     * @throws Refusal UNKNOWN_PROVIDER
     * @deprecated Replaced by /v1/miner/inference-auth/providera.
     */
    postMinerProvideraAuth: async (
      request: PostMinerProvideraAuthRequest, options?: CallOptions,
    ): Promise<LegacyCredentialStatus> =>
      (await send(
        { method: 'POST', path: '/v1/miner/providera-auth', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as LegacyCredentialStatus,

    /**
     * Ask a language model, as the agent of a live run with the claim's inference token
     * @throws Refusal MODEL_NOT_ALLOWED, NOT_CONNECTED, UNKNOWN_PROVIDER
     */
    postInferenceChatCompletions: async (
      request: PostInferenceChatCompletionsRequest, options?: CallOptions,
    ): Promise<ChatCompletion | AsyncIterable<ServerEvent>> =>
      (await send(
        { method: 'POST', path: '/v1/inference/{provider}/chat/completions', proof: 'run', query: [], bodyType: 'application/json', answers: ['application/json', 'text/event-stream'] },
        request,
        options,
      )) as ChatCompletion | AsyncIterable<ServerEvent>,

    /**
     * Take the next run under a lease; 204 when there is nothing to do
     * @throws Refusal AT_CAPACITY
     */
    postValidatorWorkClaim: async (
      request: PostValidatorWorkClaimRequest = {}, options?: CallOptions,
    ): Promise<Claim | undefined> =>
      (await send(
        { method: 'POST', path: '/v1/validator/work/claim', proof: 'hotkey', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json', answers: ['application/json', ''] },
        request,
        options,
      )) as Claim | undefined,

    /**
     * Keep the lease of a live run
     * @throws Refusal NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND, LEASE_EXPIRED, RUN_ALREADY_COMPLETE
     */
    postValidatorEvaluationRunsHeartbeat: async (
      request: PostValidatorEvaluationRunsHeartbeatRequest, options?: CallOptions,
    ): Promise<PostValidatorEvaluationRunsHeartbeatAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/validator/evaluation-runs/{eval_run_id}/heartbeat', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as PostValidatorEvaluationRunsHeartbeatAnswer,

    /**
     * What the caller's run has to work on, in roster order
     * @throws Refusal NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND
     */
    getValidatorEvaluationRunsProblems: async (
      request: GetValidatorEvaluationRunsProblemsRequest, options?: CallOptions,
    ): Promise<GetValidatorEvaluationRunsProblemsAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/validator/evaluation-runs/{eval_run_id}/problems', proof: 'hotkey', query: [] },
        request,
        options,
      )) as GetValidatorEvaluationRunsProblemsAnswer,

    /**
     * Record where each problem of a live run stands
     * @throws Refusal INVALID_PROBLEM_ID, NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND, LEASE_EXPIRED, RUN_ALREADY_COMPLETE
     */
    postValidatorEvaluationRunsProgress: async (
      request: PostValidatorEvaluationRunsProgressRequest, options?: CallOptions,
    ): Promise<PostValidatorEvaluationRunsProgressAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/validator/evaluation-runs/{eval_run_id}/progress', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as PostValidatorEvaluationRunsProgressAnswer,

    /**
     * Store up to 500 episode results; each item is answered on its own
     */
    postValidatorEpisodeResults: async (
      request: PostValidatorEpisodeResultsRequest, options?: CallOptions,
    ): Promise<EpisodeResultAnswers> =>
      (await send(
        { method: 'POST', path: '/v1/validator/episode-results', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as EpisodeResultAnswers,

    /**
     * Where to put the artifact of one episode, by its content
     * @throws Refusal NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND, AT_CAPACITY, LEASE_EXPIRED, PACK_MISMATCH, RUN_ALREADY_COMPLETE
     */
    postValidatorEpisodeArtifactsPresign: async (
      request: PostValidatorEpisodeArtifactsPresignRequest, options?: CallOptions,
    ): Promise<ArtifactUploadTarget> =>
      (await send(
        { method: 'POST', path: '/v1/validator/episode-artifacts/presign', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as ArtifactUploadTarget,

    /**
     * Where to put the logs of one problem of the caller's run
     * @throws Refusal INVALID_PROBLEM_ID, NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND, AT_CAPACITY, LEASE_EXPIRED, RUN_ALREADY_COMPLETE
     */
    postValidatorUploadsPresign: async (
      request: PostValidatorUploadsPresignRequest, options?: CallOptions,
    ): Promise<LogUploadTarget> =>
      (await send(
        { method: 'POST', path: '/v1/validator/uploads/presign', proof: 'hotkey', query: [], bodyType: 'application/json' },
        request,
        options,
      )) as LogUploadTarget,

    /**
     * End a run with its terminal status and score
     * @throws Refusal MISSING_SCORE, NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND, RESULTS_INCOMPLETE, RUN_ALREADY_COMPLETE, SCORE_MISMATCH
     */
    postValidatorEvaluationRunsComplete: async (
      request: PostValidatorEvaluationRunsCompleteRequest, options?: CallOptions,
    ): Promise<CompletionResult> =>
      (await send(
        { method: 'POST', path: '/v1/validator/evaluation-runs/{eval_run_id}/complete', proof: 'hotkey', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as CompletionResult,

    /**
     * Give a live run back; the work is offered again at once and nobody is blamed
     * @throws Refusal NOT_RUN_OWNER, EVAL_RUN_NOT_FOUND, LEASE_EXPIRED, RUN_ALREADY_COMPLETE
     */
    postValidatorEvaluationRunsRelease: async (
      request: PostValidatorEvaluationRunsReleaseRequest, options?: CallOptions,
    ): Promise<PostValidatorEvaluationRunsReleaseAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/validator/evaluation-runs/{eval_run_id}/release', proof: 'hotkey', query: [] },
        request,
        options,
      )) as PostValidatorEvaluationRunsReleaseAnswer,

    /**
     * Where to download the qualifying part of an environment pack
     * @throws Refusal PACK_NOT_FOUND
     */
    getValidatorPackByPackSha256: async (
      request: GetValidatorPackByPackSha256Request, options?: CallOptions,
    ): Promise<PackDelivery> =>
      (await send(
        { method: 'GET', path: '/v1/validator/pack/{pack_sha256}', proof: 'hotkey', query: [] },
        request,
        options,
      )) as PackDelivery,

    /**
     * Where to download the part of an environment pack that holds a race's tasks
     * @throws Refusal NO_ACTIVE_WORK, PACK_NOT_FOUND, RACE_NOT_FOUND
     */
    postValidatorRacePack: async (
      request: PostValidatorRacePackRequest, options?: CallOptions,
    ): Promise<RacePackDelivery> =>
      (await send(
        { method: 'POST', path: '/v1/validator/race/{race_id}/pack', proof: 'hotkey', query: [] },
        request,
        options,
      )) as RacePackDelivery,

    /**
     * What weights are set from: one and the same snapshot for everybody in an epoch
     */
    getValidatorWeightSalt: async (
      options?: CallOptions,
    ): Promise<WeightStandings> =>
      (await send(
        { method: 'GET', path: '/v1/validator/weight-salt', proof: 'hotkey', query: [] },
        {},
        options,
      )) as WeightStandings,

    /**
     * Keep an environment pack; the same bytes again answer the same
     */
    postAdminPacks: async (
      request: PostAdminPacksRequest, options?: CallOptions,
    ): Promise<PostAdminPacksAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/packs', proof: 'operator', query: ['reason'], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/gzip' },
        request,
        options,
      )) as PostAdminPacksAnswer,

    /**
     * Keep a new suite with its problems; it stays inactive
     * @throws Refusal PACK_NOT_FOUND, NO_TASK_HELD_OUT, TASK_HELD_OUT
     */
    postAdminSuites: async (
      request: PostAdminSuitesRequest, options?: CallOptions,
    ): Promise<Suite> =>
      (await send(
        { method: 'POST', path: '/v1/admin/suites', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Suite,

    /**
     * Make a suite the current one: its race opens, queued work and the race of the former are cancelled
     * @throws Refusal SUITE_NOT_FOUND
     */
    postAdminSuitesActivate: async (
      request: PostAdminSuitesActivateRequest, options?: CallOptions,
    ): Promise<Suite> =>
      (await send(
        { method: 'POST', path: '/v1/admin/suites/{suite_id}/activate', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Suite,

    /**
     * Ban a hotkey: its sessions die and its live runs are cancelled
     */
    putAdminHotkeysBan: async (
      request: PutAdminHotkeysBanRequest, options?: CallOptions,
    ): Promise<PutAdminHotkeysBanAnswer> =>
      (await send(
        { method: 'PUT', path: '/v1/admin/hotkeys/{hotkey}/ban', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PutAdminHotkeysBanAnswer,

    /**
     * Lift a ban; sessions do not come back
     */
    deleteAdminHotkeysBan: async (
      request: DeleteAdminHotkeysBanRequest, options?: CallOptions,
    ): Promise<DeleteAdminHotkeysBanAnswer> =>
      (await send(
        { method: 'DELETE', path: '/v1/admin/hotkeys/{hotkey}/ban', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as DeleteAdminHotkeysBanAnswer,

    /**
     * Close qualifying now: entrants are fixed and pins locked
     * @throws Refusal RACE_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, RACE_OVER
     */
    postAdminRacesCloseQualifying: async (
      request: PostAdminRacesCloseQualifyingRequest, options?: CallOptions,
    ): Promise<Race> =>
      (await send(
        { method: 'POST', path: '/v1/admin/races/{race_id}/close-qualifying', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Race,

    /**
     * Start a closed race now: its tasks are drawn and offered
     * @throws Refusal RACE_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, RACE_OVER
     */
    postAdminRacesStart: async (
      request: PostAdminRacesStartRequest, options?: CallOptions,
    ): Promise<Race> =>
      (await send(
        { method: 'POST', path: '/v1/admin/races/{race_id}/start', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Race,

    /**
     * Cancel a race: nobody wins or is eliminated, and the next one opens
     * @throws Refusal RACE_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, RACE_OVER
     */
    postAdminRacesCancel: async (
      request: PostAdminRacesCancelRequest, options?: CallOptions,
    ): Promise<Race> =>
      (await send(
        { method: 'POST', path: '/v1/admin/races/{race_id}/cancel', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Race,

    /**
     * Discard a version: its work ends, and so does its reign
     * @throws Refusal AGENT_VERSION_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED
     */
    postAdminAgentVersionsDiscard: async (
      request: PostAdminAgentVersionsDiscardRequest, options?: CallOptions,
    ): Promise<PostAdminAgentVersionsDiscardAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/agent-versions/{agent_version_id}/discard', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminAgentVersionsDiscardAnswer,

    /**
     * Take a discard back; a reign that ended stays ended
     * @throws Refusal AGENT_VERSION_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED
     */
    postAdminAgentVersionsReinstate: async (
      request: PostAdminAgentVersionsReinstateRequest, options?: CallOptions,
    ): Promise<PostAdminAgentVersionsReinstateAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/agent-versions/{agent_version_id}/reinstate', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminAgentVersionsReinstateAnswer,

    /**
     * Show how much of a version’s file is in files that were submitted before it, and where
     * @throws Refusal AGENT_VERSION_NOT_FOUND
     */
    getAdminAgentVersionsSimilarity: async (
      request: GetAdminAgentVersionsSimilarityRequest, options?: CallOptions,
    ): Promise<Similarity> =>
      (await send(
        { method: 'GET', path: '/v1/admin/agent-versions/{agent_version_id}/similarity', proof: 'operator', query: [] },
        request,
        options,
      )) as Similarity,

    /**
     * List how like earlier files the submitted ones are, newest first
     */
    getAdminSimilarity: async (
      request: GetAdminSimilarityRequest = {}, options?: CallOptions,
    ): Promise<GetAdminSimilarityAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/similarity', proof: 'operator', query: ['verdict', 'limit', 'offset'] },
        request,
        options,
      )) as GetAdminSimilarityAnswer,

    /**
     * Take a run out of its score; its work is offered again
     * @throws Refusal EVAL_RUN_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, RACE_OVER, RUN_NOT_SUCCESSFUL, RUN_STILL_LIVE
     */
    postAdminEvaluationRunsExclude: async (
      request: PostAdminEvaluationRunsExcludeRequest, options?: CallOptions,
    ): Promise<PostAdminEvaluationRunsExcludeAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/evaluation-runs/{eval_run_id}/exclude', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminEvaluationRunsExcludeAnswer,

    /**
     * Let an excluded run count again, where there is room for it; `exclusion_reason` says why not
     * @throws Refusal EVAL_RUN_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, RACE_OVER, RUN_NOT_INCLUDABLE, RUN_NOT_SUCCESSFUL, RUN_STILL_LIVE
     */
    postAdminEvaluationRunsInclude: async (
      request: PostAdminEvaluationRunsIncludeRequest, options?: CallOptions,
    ): Promise<PostAdminEvaluationRunsIncludeAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/evaluation-runs/{eval_run_id}/include', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminEvaluationRunsIncludeAnswer,

    /**
     * End a live run as stale at once and offer its work again
     * @throws Refusal EVAL_RUN_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, RACE_OVER, RUN_NOT_LIVE
     */
    postAdminEvaluationRunsReclaim: async (
      request: PostAdminEvaluationRunsReclaimRequest, options?: CallOptions,
    ): Promise<PostAdminEvaluationRunsReclaimAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/evaluation-runs/{eval_run_id}/reclaim', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminEvaluationRunsReclaimAnswer,

    /**
     * Have counted runs of the active suite judged again by others, 500 at most, of 31 races in a row
     * @throws Refusal ORDER_DROPPED, ORDER_PARKED, RACE_LOCKED
     */
    postAdminRejudgings: async (
      request: PostAdminRejudgingsRequest, options?: CallOptions,
    ): Promise<Rejudging> =>
      (await send(
        { method: 'POST', path: '/v1/admin/rejudgings', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Rejudging,

    /**
     * List rejudgings, newest first
     */
    getAdminRejudgings: async (
      request: GetAdminRejudgingsRequest = {}, options?: CallOptions,
    ): Promise<GetAdminRejudgingsAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/rejudgings', proof: 'operator', query: ['limit', 'offset'] },
        request,
        options,
      )) as GetAdminRejudgingsAnswer,

    /**
     * Show how far a rejudging is, and what difference it makes to score, rank and payout
     * @throws Refusal REJUDGING_NOT_FOUND
     */
    getAdminRejudgingsByRejudgingId: async (
      request: GetAdminRejudgingsByRejudgingIdRequest, options?: CallOptions,
    ): Promise<Rejudging> =>
      (await send(
        { method: 'GET', path: '/v1/admin/rejudgings/{rejudging_id}', proof: 'operator', query: [] },
        request,
        options,
      )) as Rejudging,

    /**
     * Put the new runs in the place of those judged again; completed races stand
     * @throws Refusal REJUDGING_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, REJUDGING_NOT_READY, REJUDGING_OVER
     */
    postAdminRejudgingsApply: async (
      request: PostAdminRejudgingsApplyRequest, options?: CallOptions,
    ): Promise<Rejudging> =>
      (await send(
        { method: 'POST', path: '/v1/admin/rejudgings/{rejudging_id}/apply', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Rejudging,

    /**
     * End a rejudging and drop what came of it; no score changes
     * @throws Refusal REJUDGING_NOT_FOUND, ORDER_DROPPED, ORDER_PARKED, REJUDGING_OVER
     */
    postAdminRejudgingsCancel: async (
      request: PostAdminRejudgingsCancelRequest, options?: CallOptions,
    ): Promise<Rejudging> =>
      (await send(
        { method: 'POST', path: '/v1/admin/rejudgings/{rejudging_id}/cancel', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as Rejudging,

    /**
     * Show the rules that the next race opens under, and who changed what
     */
    getAdminPolicy: async (
      options?: CallOptions,
    ): Promise<GetAdminPolicyAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/policy', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminPolicyAnswer,

    /**
     * Change rules from the next race on; null takes a change back
     */
    patchAdminPolicy: async (
      request: PatchAdminPolicyRequest, options?: CallOptions,
    ): Promise<PatchAdminPolicyAnswer> =>
      (await send(
        { method: 'PATCH', path: '/v1/admin/policy', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PatchAdminPolicyAnswer,

    /**
     * Register a hotkey, or change its registration; embedded chain only
     * @throws Refusal ROUTE_NOT_FOUND
     */
    putAdminChainRegistrationsByHotkey: async (
      request: PutAdminChainRegistrationsByHotkeyRequest, options?: CallOptions,
    ): Promise<PutAdminChainRegistrationsByHotkeyAnswer> =>
      (await send(
        { method: 'PUT', path: '/v1/admin/chain/registrations/{hotkey}', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PutAdminChainRegistrationsByHotkeyAnswer,

    /**
     * Take a registration back; embedded chain only
     * @throws Refusal ROUTE_NOT_FOUND
     */
    deleteAdminChainRegistrationsByHotkey: async (
      request: DeleteAdminChainRegistrationsByHotkeyRequest, options?: CallOptions,
    ): Promise<DeleteAdminChainRegistrationsByHotkeyAnswer> =>
      (await send(
        { method: 'DELETE', path: '/v1/admin/chain/registrations/{hotkey}', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as DeleteAdminChainRegistrationsByHotkeyAnswer,

    /**
     * Say which process owns which partition
     */
    getAdminPartitions: async (
      options?: CallOptions,
    ): Promise<GetAdminPartitionsAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/partitions', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminPartitionsAnswer,

    /**
     * List every record that waits for nobody or has missed its time; empty where all is well
     */
    getAdminStuck: async (
      options?: CallOptions,
    ): Promise<GetAdminStuckAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/stuck', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminStuckAnswer,

    /**
     * List messages between processes that failed too often and were set aside, the oldest first
     */
    getAdminParkedMessages: async (
      request: GetAdminParkedMessagesRequest = {}, options?: CallOptions,
    ): Promise<GetAdminParkedMessagesAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/parked-messages', proof: 'operator', query: ['limit', 'offset'] },
        request,
        options,
      )) as GetAdminParkedMessagesAnswer,

    /**
     * Send a parked message again, once what made it fail is repaired
     * @throws Refusal PARKED_MESSAGE_NOT_FOUND, NOT_RESENDABLE
     */
    postAdminParkedMessagesResend: async (
      request: PostAdminParkedMessagesResendRequest, options?: CallOptions,
    ): Promise<PostAdminParkedMessagesResendAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/parked-messages/{msg_id}/resend', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminParkedMessagesResendAnswer,

    /**
     * Forget a parked message for good; what it was to do is not done
     * @throws Refusal PARKED_MESSAGE_NOT_FOUND
     */
    postAdminParkedMessagesDrop: async (
      request: PostAdminParkedMessagesDropRequest, options?: CallOptions,
    ): Promise<PostAdminParkedMessagesDropAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/parked-messages/{msg_id}/drop', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminParkedMessagesDropAnswer,

    /**
     * List the last traces, where they are kept for this page; else say where spans go
     */
    getAdminTraces: async (
      request: GetAdminTracesRequest = {}, options?: CallOptions,
    ): Promise<GetAdminTracesAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/traces', proof: 'operator', query: ['limit', 'offset', 'route', 'outcome', 'text', 'order'] },
        request,
        options,
      )) as GetAdminTracesAnswer,

    /**
     * Show one of the last traces, span by span, with what was done for it elsewhere
     * @throws Refusal TRACE_NOT_FOUND
     */
    getAdminTracesByTraceId: async (
      request: GetAdminTracesByTraceIdRequest, options?: CallOptions,
    ): Promise<Trace> =>
      (await send(
        { method: 'GET', path: '/v1/admin/traces/{trace_id}', proof: 'operator', query: [] },
        request,
        options,
      )) as Trace,

    /**
     * Have one process hand its partitions over, one after another, and take none until it is started again; `id` is a `member_id` of `/v1/admin/partitions`
     * @throws Refusal ACTOR_NOT_FOUND, LAST_ACTOR
     */
    postAdminActorsDrain: async (
      request: PostAdminActorsDrainRequest, options?: CallOptions,
    ): Promise<PostAdminActorsDrainAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/actors/{id}/drain', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminActorsDrainAnswer,

    /**
     * Show race and top, and count what is open, live, waiting and stuck
     */
    getAdminOverview: async (
      options?: CallOptions,
    ): Promise<GetAdminOverviewAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/overview', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminOverviewAnswer,

    /**
     * Show what operators did, newest first; `hash` is SHA-256 over the JSON array of seq, prev_hash, committed_at in Unix ms, actor, action, object, reason and detail, keys sorted, no spaces
     */
    getAdminAuditLog: async (
      request: GetAdminAuditLogRequest = {}, options?: CallOptions,
    ): Promise<GetAdminAuditLogAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/audit-log', proof: 'operator', query: ['limit', 'offset'] },
        request,
        options,
      )) as GetAdminAuditLogAnswer,

    /**
     * Have a URL told of every public event from now on, signed; the secret is shown here alone
     */
    postAdminWebhooks: async (
      request: PostAdminWebhooksRequest, options?: CallOptions,
    ): Promise<PostAdminWebhooksAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/webhooks', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminWebhooksAnswer,

    /**
     * All webhooks, the oldest first, and how their deliveries go
     */
    getAdminWebhooks: async (
      options?: CallOptions,
    ): Promise<GetAdminWebhooksAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/webhooks', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminWebhooksAnswer,

    /**
     * How many secrets rest under each key of the ring, and which key may go
     */
    getAdminCredentialKeys: async (
      options?: CallOptions,
    ): Promise<GetAdminCredentialKeysAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/credential-keys', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminCredentialKeysAnswer,

    /**
     * How the deliveries of one webhook go
     * @throws Refusal WEBHOOK_NOT_FOUND
     */
    getAdminWebhooksByWebhookId: async (
      request: GetAdminWebhooksByWebhookIdRequest, options?: CallOptions,
    ): Promise<Webhook> =>
      (await send(
        { method: 'GET', path: '/v1/admin/webhooks/{webhook_id}', proof: 'operator', query: [] },
        request,
        options,
      )) as Webhook,

    /**
     * Tell a webhook nothing more, and forget its secret
     * @throws Refusal WEBHOOK_NOT_FOUND
     */
    deleteAdminWebhooksByWebhookId: async (
      request: DeleteAdminWebhooksByWebhookIdRequest, options?: CallOptions,
    ): Promise<DeleteAdminWebhooksByWebhookIdAnswer> =>
      (await send(
        { method: 'DELETE', path: '/v1/admin/webhooks/{webhook_id}', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as DeleteAdminWebhooksByWebhookIdAnswer,

    /**
     * Send a webhook everything after a cursor, at once, whether it had it before or not
     * @throws Refusal WEBHOOK_NOT_FOUND
     */
    postAdminWebhooksReplay: async (
      request: PostAdminWebhooksReplayRequest, options?: CallOptions,
    ): Promise<PostAdminWebhooksReplayAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/webhooks/{webhook_id}/replay', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminWebhooksReplayAnswer,

    /**
     * Show what time it is to this service, and whether it can be moved
     */
    getAdminClock: async (
      options?: CallOptions,
    ): Promise<GetAdminClockAnswer> =>
      (await send(
        { method: 'GET', path: '/v1/admin/clock', proof: 'operator', query: [] },
        {},
        options,
      )) as GetAdminClockAnswer,

    /**
     * Move a simulated clock on; what becomes due on the way is done in order before the answer
     * @throws Refusal CLOCK_IS_REAL
     */
    postAdminClockAdvance: async (
      request: PostAdminClockAdvanceRequest, options?: CallOptions,
    ): Promise<PostAdminClockAdvanceAnswer> =>
      (await send(
        { method: 'POST', path: '/v1/admin/clock/advance', proof: 'operator', query: [], headers: { 'Idempotency-Key': 'idempotencyKey' }, bodyType: 'application/json' },
        request,
        options,
      )) as PostAdminClockAdvanceAnswer,
  };
}

/** Whether an error is a refusal with this code, and so comes with what the code carries. */
export function isRefusal<Code extends keyof ErrorByCode>(
  error: unknown,
  code: Code,
): error is Refusal<ErrorByCode[Code]> {
  return error instanceof Refusal && error.code === code;
}
