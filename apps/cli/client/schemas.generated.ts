// Written by `npm run generate` from the description of the API; not to be changed by hand.

export interface EpisodeResultItem {
  readonly eval_run_id: string;
  readonly env_pack_sha256: string;
  readonly task_id: string;
  readonly family: string;
  readonly outcome: 'completed' | 'partial' | 'agent_error' | 'environment_error' | 'verifier_error' | 'leakage' | 'exploit';
  readonly verdict_correct: boolean;
  readonly verdict_checks: Readonly<Record<string, 'passed' | 'failed' | 'unknown'>>;
  readonly reward_components: Readonly<Record<string, unknown>>;
  /** A decimal from 0 to 1 with at most six places, which a third as a number has not; null unless the verdict is correct */
  readonly aggregate_reward: string | number | null;
  readonly wall_seconds: number | null;
  /** Null where the outcome is agent_error, environment_error or verifier_error, and only there */
  readonly terminal_state_hash: string | null;
  /** The artifact_uri of its trajectory; null where there is none */
  readonly ledger_uri: string | null;
  readonly step_count: number;
}

/** The route does not know this method. Use one that Allow names. */
export interface MethodNotAllowedError {
  readonly detail: string;
  readonly error_code: 'METHOD_NOT_ALLOWED';
}

/** There is no such route. GET /openapi.json lists all that there are. */
export interface RouteNotFoundError {
  readonly detail: string;
  readonly error_code: 'ROUTE_NOT_FOUND';
}

/** A parameter or field is not valid; loc names it. Mend each field that detail lists. */
export interface ValidationError {
  readonly detail: readonly {
    readonly loc: readonly string[];
    readonly msg: string;
    readonly type: string;
    /** Redacted where it may be a secret */
    readonly input: unknown;
    readonly ctx: Readonly<Record<string, unknown>>;
  }[];
}

/** Something went wrong on our side. Send it once more, then tell the operators its X-Request-Id. */
export interface InternalError {
  readonly detail: string;
  readonly error_code: 'INTERNAL_ERROR';
}

/** Too much is asked at once. Send the same request again after Retry-After. */
export interface OverloadedError {
  readonly detail: string;
  readonly error_code: 'OVERLOADED';
  readonly retry_after_seconds?: number | undefined;
}

/** Too many requests. Wait for as long as Retry-After says, then send it again. */
export interface RateLimitedError {
  readonly detail: string;
  readonly error_code: 'RATE_LIMITED';
  readonly retry_after_seconds?: number | undefined;
}

/** The body is larger than the route takes. Send less at once, in several requests. */
export interface BodyTooLargeError {
  readonly detail: string;
  readonly error_code: 'BODY_TOO_LARGE';
}

/** The body is not of the media type that the route takes. Send it with the Content-Type that the route takes, and not compressed. */
export interface UnsupportedMediaTypeError {
  readonly detail: string;
  readonly error_code: 'UNSUPPORTED_MEDIA_TYPE';
}

/** The outcome is not known yet. Send the same request again, under the same Idempotency-Key where it has one. */
export interface OutcomeUnknownError {
  readonly detail: string;
  readonly error_code: 'OUTCOME_UNKNOWN';
  readonly retry_after_seconds?: number | undefined;
}

/** Nobody is in charge of this right now. Send the same request again after Retry-After. */
export interface OwnerUnavailableError {
  readonly detail: string;
  readonly error_code: 'OWNER_UNAVAILABLE';
  readonly retry_after_seconds?: number | undefined;
}

/** The service only answers reads: its database is behind what it once acknowledged. Send it again after Retry-After, until operators have looked at it. */
export interface ReadOnlyError {
  readonly detail: string;
  readonly error_code: 'READ_ONLY';
  readonly retry_after_seconds?: number | undefined;
}

/** The database cannot be reached right now. Send the same request again after Retry-After. */
export interface StoreUnavailableError {
  readonly detail: string;
  readonly error_code: 'STORE_UNAVAILABLE';
  readonly retry_after_seconds?: number | undefined;
}

export interface Session {
  readonly session_token: string;
  readonly expires_at: number;
  readonly role: 'miner' | 'validator';
}

/** The challenge is unknown, used, or over. Ask for a new one at POST /v1/auth/challenge, and sign it at once. */
export interface InvalidChallengeError {
  readonly detail: string;
  readonly error_code: 'INVALID_CHALLENGE';
}

/** The signature does not sign what it should. Sign the very bytes that are sent, by sr25519, with the key of the hotkey. */
export interface InvalidSignatureError {
  readonly detail: string;
  readonly error_code: 'INVALID_SIGNATURE';
}

/** This hotkey is not registered on the subnet. Register it; a new registration counts here within minutes. */
export interface NotRegisteredError {
  readonly detail: string;
  readonly error_code: 'NOT_REGISTERED';
}

/** This hotkey is banned. Ask the operators of this service why. */
export interface BannedError {
  readonly detail: string;
  readonly error_code: 'BANNED';
}

/** The chain cannot be asked right now. Send the same request again after Retry-After. */
export interface ChainUnavailableError {
  readonly detail: string;
  readonly error_code: 'CHAIN_UNAVAILABLE';
}

/** X-Hotkey must be an SS58 address with prefix 42. Send the address as your wallet shows it; it begins with 5. */
export interface InvalidHotkeyError {
  readonly detail: string;
  readonly error_code: 'INVALID_HOTKEY';
}

/** X-Nonce must be a UUID v4. Make a new UUID v4 for every request, and sign with it. */
export interface InvalidNonceError {
  readonly detail: string;
  readonly error_code: 'INVALID_NONCE';
}

/** The session is unknown or over. Sign in again: POST /v1/auth/challenge, then /v1/auth/session. */
export interface InvalidSessionError {
  readonly detail: string;
  readonly error_code: 'INVALID_SESSION';
}

/** X-Timestamp must be whole Unix seconds. Send the seconds as digits alone, as in 1767225600, and sign them so. */
export interface InvalidTimestampError {
  readonly detail: string;
  readonly error_code: 'INVALID_TIMESTAMP';
}

/** The route needs credentials. Send Authorization: Bearer, or X-Hotkey, X-Timestamp, X-Nonce and X-Signature. */
export interface MissingCredentialsError {
  readonly detail: string;
  readonly error_code: 'MISSING_CREDENTIALS';
}

/** This X-Nonce was used before. Make a new UUID v4 for every request, and sign with it. */
export interface NonceReusedError {
  readonly detail: string;
  readonly error_code: 'NONCE_REUSED';
}

/** X-Timestamp is too far off. Set the clock of your machine by server_time, and sign anew. */
export interface TimestampSkewError {
  readonly detail: string;
  readonly error_code: 'TIMESTAMP_SKEW';
  readonly server_time: number;
}

export interface Suite {
  readonly suite_id: number;
  readonly suite_version: number;
  readonly is_active: boolean;
  readonly execution_kind: 'legacy_benchmark' | 'envpack';
  readonly environment: {
    readonly display_name: string;
    readonly environment_revision: string;
    readonly catalog_epoch: string;
    readonly contract_version: string;
    readonly runtime_version: string;
    readonly result_schema_version: string;
  };
  readonly env_pack_sha256: string | null;
  readonly benchmark_name: string;
  readonly benchmark_number: number;
}

/** There is no such suite. Take the id from GET /v1/public/suites. */
export interface SuiteNotFoundError {
  readonly detail: string;
  readonly error_code: 'SUITE_NOT_FOUND';
}

export interface SuiteWithProblems {
  readonly suite: Suite;
  readonly problems: readonly {
    readonly problem_id: string;
    readonly suite_id: number;
    readonly metadata: Readonly<Record<string, unknown>>;
  }[];
  readonly qualifying_tasks: readonly {
    readonly task_id: string;
    readonly family: string;
    readonly goal_text: string;
  }[];
}

export interface Leaderboard {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly suite: Suite | null;
  readonly entries: readonly ({
    readonly rank: number;
    readonly agent_version_id: string;
    readonly agent_name: string;
    readonly miner_hotkey: string;
    readonly version_number: number;
    readonly state: string;
    readonly final_score: number | null;
    readonly qualifying_score: number | null;
    readonly race_score: number | null;
    readonly weighted_score: number | null;
    readonly score_low: number | null;
    readonly score_high: number | null;
    readonly eligible_at: string;
    readonly is_discarded: boolean;
    readonly is_miner_banned: boolean;
    readonly is_current_top: boolean;
    readonly was_top: boolean;
    readonly top_at: string | null;
    readonly is_active_qualifier: boolean;
    readonly outranked_by_agent_version_id: string | null;
    readonly eliminated_at: string | null;
  })[];
  readonly unique_miners: number;
  readonly agents_submitted_24h: number;
  readonly challenge_threshold: number | null;
}

export interface Top {
  readonly suite_id: number | null;
  readonly computed_at: string;
  readonly top_agent_version_id: string | null;
  readonly top_miner_hotkey: string | null;
  readonly top_score: number | null;
  readonly challenge_threshold: number | null;
  readonly margin: number | null;
  readonly emission_weight: number;
  readonly policy: {
    readonly days_as_top: number | null;
    readonly emission_baseline_burn_rate: number;
    readonly margin_initial: number;
    readonly margin_half_life_days: number;
    readonly margin_floor: number;
  };
}

export interface Reign {
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly version_number: number;
  readonly suite_id: number;
  readonly race_id: string;
  readonly score: number;
  readonly top_at: string;
  readonly ended_at: string | null;
}

export interface TopMinerPayout {
  readonly agent_name: string | null;
  readonly miner_hotkey: string | null;
  readonly tao_per_day: number | null;
  readonly usd_per_day: number | null;
  readonly computed_at: string;
}

export interface RaceBundle {
  readonly race_id: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly signature: string;
  readonly public_key: string;
  readonly download_url: string;
  readonly download_url_expires_at: string;
}

/** This is withheld until its race is released. Ask again when the race is released. */
export interface RaceInFlightError {
  readonly detail: string;
  readonly error_code: 'RACE_IN_FLIGHT';
}

/** There is no such artifact. Look at the run for what its validator has sent. */
export interface ArtifactNotFoundError {
  readonly detail: string;
  readonly error_code: 'ARTIFACT_NOT_FOUND';
}

/** There is no such race. Take the id from GET /v1/public/races/current or /v1/public/races/history. */
export interface RaceNotFoundError {
  readonly detail: string;
  readonly error_code: 'RACE_NOT_FOUND';
}

export interface ReleasedAgentVersion {
  readonly agent_version_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly version_number: number;
  readonly submitted_at: string;
  readonly state: string;
  readonly final_score: number | null;
  readonly race_scores: readonly ({
    readonly race_id: string;
    readonly race_number: number;
    readonly race_score: number | null;
    readonly weighted_score: number | null;
  })[];
  readonly released_at: string;
  readonly release_reason: 'TOP' | 'AGED';
  readonly code_sha256: string;
  readonly code_size_bytes: number;
}

/** There is no such agent version. Take the id from the leaderboard, or from the answer to your submission. */
export interface AgentVersionNotFoundError {
  readonly detail: string;
  readonly error_code: 'AGENT_VERSION_NOT_FOUND';
}

/** The artifact is not released yet. Ask again when it is released. */
export interface ArtifactNotReleasedError {
  readonly detail: string;
  readonly error_code: 'ARTIFACT_NOT_RELEASED';
}

export interface AgentVersionStatus {
  readonly agent_version_id: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly version_number: number;
  readonly suite_id: number;
  readonly submitted_at: string;
  readonly state: string;
  readonly qualifying_score: number | null;
  readonly final_score: number | null;
  readonly eligible_at: string | null;
  readonly eliminated_at: string | null;
  readonly eliminated_in_race_number: number | null;
  readonly is_miner_banned: boolean;
  readonly is_active_qualifier: boolean;
  readonly is_pinnable: boolean;
  /** Why it cannot be pinned: below_threshold, discarded, eliminated, not_eligible, superseded_suite. infra/reference/reasons.md says what each means. */
  readonly pin_disabled_reason: string | null;
  /** Why it does not race although it is pinned: below_threshold, discarded, eliminated, not_eligible, superseded_suite. infra/reference/reasons.md says what each means. */
  readonly selection_fallback_reason: string | null;
  /** Why it was discarded or cancelled: AGENT_FAILURES, INTEGRITY, SUITE_SUPERSEDED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly discard_reason: string | null;
  readonly included_success_count: number;
  readonly required_successes: number;
  readonly live_run_count: number;
  readonly failed_run_count: number;
  readonly stale_run_count: number;
  readonly consecutive_agent_failures: number;
  readonly waiting: {
    readonly phase: 'QUALIFYING' | 'RACE' | null;
    readonly position: number | null;
    /** Why it is where it is: MINER_BANNED, REPEATED_FAILURES, or a sentence. infra/reference/reasons.md says what each means. */
    readonly reason: string | null;
    readonly expected_start_at: string | null;
    readonly expected_finish_at: string | null;
  };
  readonly timeline: readonly ({
    readonly at: string;
    readonly event: string;
    readonly detail: string | null;
  })[];
}

export interface EvaluationRun {
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly suite_id: number;
  readonly race_id: string | null;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly status: 'PENDING' | 'CLAIMED' | 'RUNNING' | 'SUCCESS' | 'FAILED' | 'TIMED_OUT' | 'STALE' | 'CANCELLED';
  readonly execution_kind: 'legacy_benchmark' | 'envpack';
  readonly validator_hotkey: string;
  readonly validator_name: string | null;
  readonly is_included: boolean;
  /** Why its success does not count: BEYOND_REQUIRED, INCOMPLETE, REJUDGED, REJUDGING, SAME_VALIDATOR, VALIDATOR_BANNED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly exclusion_reason: string | null;
  readonly validator_score: number | null;
  readonly claimed_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** Why it did not succeed: LEASE_EXPIRED, MINER_BANNED, NO_PROGRESS, RACE_CANCELLED, RACE_COMPLETE, RECLAIMED, REJUDGING_CANCELLED, RELEASED, RUN_INCLUDED, RUN_LIMIT, SUITE_SUPERSEDED, VALIDATOR_BANNED, VERSION_DISCARDED, WORK_CLOSED, or its validator’s words where that completed it. infra/reference/reasons.md says what each means. */
  readonly failure_reason: string | null;
  /** Whose fault it was that it failed: AGENT, INTEGRITY, PLATFORM, PROVIDER, UNATTRIBUTED, VALIDATOR. infra/reference/reasons.md says what each means. */
  readonly failure_class: string | null;
}

export interface ProblemProgress {
  readonly agent_version_id: string;
  readonly suite_id: number;
  readonly problems: readonly ({
    readonly problem_id: string;
    readonly category: string | null;
    readonly phase: string;
    readonly race_id: string | null;
    readonly validator_results: readonly ({
      readonly eval_run_id: string;
      readonly validator_hotkey: string;
      readonly status: string;
      readonly score: number | null;
      readonly score_components: Readonly<Record<string, unknown>> | null;
      readonly reasoning_score: number | null;
      readonly updated_at: string;
      readonly inference_failure_count: number | null;
      readonly inference_total: number | null;
      readonly execution_time: number | null;
    })[];
  })[];
  readonly generated_results: readonly GeneratedResult[];
  readonly qualifying_tasks: readonly {
    readonly task_id: string;
    readonly family: string;
    readonly goal_text: string;
  }[];
}

export interface GeneratedResult {
  readonly identity: {
    readonly eval_run_id: string;
    readonly agent_version_id: string;
    readonly suite_id: number;
    readonly validator_hotkey: string;
    readonly status: string;
    readonly completed_at: string | null;
    readonly score: number | null;
    readonly execution_kind: string;
    readonly env_pack_sha256: string | null;
    readonly environment: {
      readonly display_name: string;
      readonly environment_revision: string;
      readonly catalog_epoch: string;
      readonly contract_version: string;
      readonly runtime_version: string;
      readonly result_schema_version: string;
    };
    readonly detail_released: boolean;
  };
  readonly items: {
    readonly eval_run_id: string;
    readonly execution_kind: string;
    readonly detail_released: boolean;
    readonly expected_item_count: number;
    readonly persisted_item_count: number;
    readonly items: readonly ({
      readonly item_id: string;
      readonly item_kind: 'legacy_problem' | 'episode';
      readonly family: string | null;
      readonly status: string;
      readonly score: number | null;
      readonly verdict_status: 'passed' | 'failed' | 'unknown';
      readonly paid_reward: number | null;
      readonly check_summary: {
        readonly passed: number;
        readonly failed: number;
        readonly unknown: number;
      };
      readonly reward_summary: {
        readonly component_count: number;
      };
      readonly step_count: number | null;
      readonly eval_run_id: string;
      readonly validator_hotkey: string;
      readonly episode_result_id: string | null;
    })[];
  };
}

export interface EvaluationRunDetail {
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly suite_id: number;
  readonly race_id: string | null;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly status: 'PENDING' | 'CLAIMED' | 'RUNNING' | 'SUCCESS' | 'FAILED' | 'TIMED_OUT' | 'STALE' | 'CANCELLED';
  readonly execution_kind: 'legacy_benchmark' | 'envpack';
  readonly validator_hotkey: string;
  readonly validator_name: string | null;
  readonly is_included: boolean;
  /** Why its success does not count: BEYOND_REQUIRED, INCOMPLETE, REJUDGED, REJUDGING, SAME_VALIDATOR, VALIDATOR_BANNED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly exclusion_reason: string | null;
  readonly validator_score: number | null;
  readonly claimed_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** Why it did not succeed: LEASE_EXPIRED, MINER_BANNED, NO_PROGRESS, RACE_CANCELLED, RACE_COMPLETE, RECLAIMED, REJUDGING_CANCELLED, RELEASED, RUN_INCLUDED, RUN_LIMIT, SUITE_SUPERSEDED, VALIDATOR_BANNED, VERSION_DISCARDED, WORK_CLOSED, or its validator’s words where that completed it. infra/reference/reasons.md says what each means. */
  readonly failure_reason: string | null;
  /** Whose fault it was that it failed: AGENT, INTEGRITY, PLATFORM, PROVIDER, UNATTRIBUTED, VALIDATOR. infra/reference/reasons.md says what each means. */
  readonly failure_class: string | null;
  readonly score_components: Readonly<Record<string, unknown>> | null;
  readonly sandbox_metadata: Readonly<Record<string, unknown>> | null;
  readonly problems: readonly ({
    readonly problem_id: string;
    readonly status: string;
    readonly score: number | null;
    readonly score_components: Readonly<Record<string, unknown>> | null;
    readonly reasoning_score: number | null;
    readonly inference_failure_count: number | null;
    readonly inference_total: number | null;
    readonly execution_time: number | null;
    readonly updated_at: string;
  })[];
  readonly identity: {
    readonly eval_run_id: string;
    readonly agent_version_id: string;
    readonly suite_id: number;
    readonly validator_hotkey: string;
    readonly status: string;
    readonly completed_at: string | null;
    readonly score: number | null;
    readonly execution_kind: string;
    readonly env_pack_sha256: string | null;
    readonly environment: {
      readonly display_name: string;
      readonly environment_revision: string;
      readonly catalog_epoch: string;
      readonly contract_version: string;
      readonly runtime_version: string;
      readonly result_schema_version: string;
    };
    readonly detail_released: boolean;
  };
  readonly items: {
    readonly eval_run_id: string;
    readonly execution_kind: string;
    readonly detail_released: boolean;
    readonly expected_item_count: number;
    readonly persisted_item_count: number;
    readonly items: readonly ({
      readonly item_id: string;
      readonly item_kind: 'legacy_problem' | 'episode';
      readonly family: string | null;
      readonly status: string;
      readonly score: number | null;
      readonly verdict_status: 'passed' | 'failed' | 'unknown';
      readonly paid_reward: number | null;
      readonly check_summary: {
        readonly passed: number;
        readonly failed: number;
        readonly unknown: number;
      };
      readonly reward_summary: {
        readonly component_count: number;
      };
      readonly step_count: number | null;
      readonly eval_run_id: string;
      readonly validator_hotkey: string;
      readonly episode_result_id: string | null;
    })[];
  };
}

/** There is no such evaluation run. Take the id of a run from its claim, or from the runs of its version. */
export interface EvalRunNotFoundError {
  readonly detail: string;
  readonly error_code: 'EVAL_RUN_NOT_FOUND';
}

export interface DownloadUrl {
  readonly download_url: string;
  readonly expires_at: string;
}

/** There is no such type of artifact. Ask for one of those that there are. */
export interface InvalidArtifactTypeError {
  readonly detail: string;
  readonly error_code: 'INVALID_ARTIFACT_TYPE';
}

/** This type of artifact needs another id. Send it beside artifact_type. */
export interface MissingParameterError {
  readonly detail: string;
  readonly error_code: 'MISSING_PARAMETER';
}

/** The object store cannot be reached right now. Send the same request again after Retry-After. */
export interface StorageUnavailableError {
  readonly detail: string;
  readonly error_code: 'STORAGE_UNAVAILABLE';
}

export interface ModelList {
  readonly models: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  readonly stats?: readonly ModelStats[] | undefined;
}

export interface ModelStats {
  readonly model_id: string;
  readonly rank: number;
  readonly healthy: boolean;
  readonly load: number | null;
  readonly latency_ms: number | null;
  readonly served: boolean;
  readonly polled_at: string;
}

export interface Validator {
  readonly validator_hotkey: string;
  readonly validator_name: string | null;
  readonly status: 'active' | 'idle' | 'offline';
  readonly last_seen_at: string | null;
  readonly uid: number | null;
  readonly stake: number | null;
  readonly current_runs: number;
  readonly completed_24h: number;
  readonly stale_24h: number;
  readonly service_versions: Readonly<Record<string, string>>;
  readonly cpu_pct: number | null;
  readonly ram_pct: number | null;
  readonly disk_pct: number | null;
  readonly docker_container_count: number | null;
}

export interface RunningEvaluation {
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly version_number: number;
  readonly miner_hotkey: string;
  readonly validator_hotkey: string;
  readonly suite_id: number;
  readonly phase: string;
  readonly race_id: string | null;
  readonly status: 'PENDING' | 'CLAIMED' | 'RUNNING' | 'SUCCESS' | 'FAILED' | 'TIMED_OUT' | 'STALE' | 'CANCELLED';
  readonly started_at: string;
  readonly lease_expires_at: string;
  readonly progress: {
    readonly done: number;
    readonly total: number;
  };
}

export interface PendingEvaluations {
  readonly items: readonly ({
    readonly agent_version_id: string;
    readonly agent_name: string;
    readonly version_number: number;
    readonly miner_hotkey: string;
    readonly queued_at: string;
    readonly phase: string;
    readonly race_id: string | null;
    readonly completed_successes: number;
    readonly required_successes: number;
    readonly position: number;
    readonly expected_start_at: string | null;
    /** Why nobody takes it in its turn: MINER_BANNED, REPEATED_FAILURES, or a sentence. infra/reference/reasons.md says what each means. */
    readonly blocked_reason: string | null;
  })[];
  readonly summary: {
    readonly total_pending: number;
    readonly total_runs_needed: number;
    readonly total_runs_active: number;
  };
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export interface RaceDetails {
  readonly race: Race | null;
  readonly qualifiers: readonly Qualifier[];
}

export interface Race {
  readonly race_id: string;
  readonly suite_id: number;
  readonly race_number: number;
  readonly status: 'QUALIFYING_OPEN' | 'QUALIFYING_CLOSED' | 'RACE_RUNNING' | 'RACE_COMPLETE' | 'RACE_CANCELLED';
  readonly qualifying_closes_at: string;
  readonly race_started_at: string | null;
  readonly race_completed_at: string | null;
  readonly race_cancelled_at: string | null;
  /** Why it was cancelled: NO_ENTRANT, NO_FINISHER, NO_TASK, SUITE_SWITCHED, or an operator’s words. infra/reference/reasons.md says what each means. */
  readonly cancel_reason: string | null;
  readonly created_at: string;
  readonly projected_completion_at: string | null;
  readonly winner_agent_version_id: string | null;
  readonly winner_score: number | null;
  readonly qualifying_threshold: number;
  readonly winner_agent_name: string | null;
  readonly qualifier_count: number;
  readonly scored_count: number;
  readonly top50_mean: number | null;
  readonly top50_std: number | null;
  readonly margin: number | null;
  readonly challenged_score: number | null;
  readonly promoted_agent_version_id: string | null;
  readonly policy: {
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
  } | null;
}

export interface Qualifier {
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly version_number: number;
  readonly qualification_type: 'PINNED' | 'QUALIFIED' | 'SURVIVOR' | 'INCUMBENT_TOP';
  readonly qualifying_score: number | null;
  readonly race_score: number | null;
  readonly weighted_score: number | null;
  readonly race_rank: number | null;
  readonly eliminated_at: string | null;
  readonly is_discarded: boolean;
  /** Why it has no score in a race that is over: AGENT_FAULT, BANNED, DISCARDED, NOT_FINISHED. infra/reference/reasons.md says what each means. */
  readonly unfinished_reason: string | null;
  readonly window: readonly ({
    readonly race_id: string;
    readonly race_number: number;
    readonly raw_score: number | null;
    readonly anchor: number;
    readonly delta: number;
    readonly is_seed: boolean;
  })[] | null;
}

export interface RaceHistory {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly races: readonly Race[];
}

export interface ValidatorVariance {
  readonly race_id: string;
  readonly race_number: number;
  readonly n_pairs: number;
  readonly mean_spread: number | null;
  readonly median_spread: number | null;
  readonly max_spread: number | null;
  readonly spread_buckets: readonly {
    readonly threshold_pp: number;
    readonly count: number;
    readonly pct: number;
  }[];
  readonly validators: readonly ({
    readonly validator_hotkey: string;
    readonly validator_name: string | null;
    readonly pairs_evaluated: number;
    readonly mean_delta_vs_peers: number;
    readonly std_dev: number;
    readonly mean_score: number;
  })[];
}

export type PublicEvent = {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'submission-accepted';
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly suite_id: number;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'version-eligible';
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly suite_id: number;
  readonly qualifying_score: number | null;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'run-claimed';
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly suite_id: number;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly race_id: string | null;
  readonly validator_hotkey: string;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'run-ended';
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly suite_id: number;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly race_id: string | null;
  readonly validator_hotkey: string;
  readonly status: 'SUCCESS' | 'FAILED' | 'TIMED_OUT' | 'STALE' | 'CANCELLED';
  readonly validator_score: number | null;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'race-opened';
  readonly race_id: string;
  readonly suite_id: number;
  readonly race_number: number;
  readonly qualifying_closes_at: string;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'race-closed';
  readonly race_id: string;
  readonly suite_id: number;
  readonly race_number: number;
  readonly qualifier_count: number;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'race-started';
  readonly race_id: string;
  readonly suite_id: number;
  readonly race_number: number;
  readonly qualifier_count: number;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'race-completed';
  readonly race_id: string;
  readonly suite_id: number;
  readonly race_number: number;
  readonly scored_count: number;
  readonly winner_agent_version_id: string;
  readonly winner_score: number;
  readonly promoted_agent_version_id: string | null;
  readonly released_at: string;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'race-cancelled';
  readonly race_id: string;
  readonly suite_id: number;
  readonly race_number: number;
  readonly reason: string | null;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'top-changed';
  readonly suite_id: number;
  readonly race_id: string | null;
  readonly agent_version_id: string | null;
  readonly miner_hotkey: string | null;
  readonly score: number | null;
  readonly reason: string | null;
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'code-released';
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly miner_hotkey: string;
  readonly suite_id: number;
  readonly version_number: number;
  readonly code_sha256: string;
  readonly release_reason: 'TOP' | 'AGED';
} | {
  readonly cursor: number;
  readonly at: string;
  readonly type: 'history-restored';
  readonly branch: number;
  readonly last_kept_cursor: number;
};

export interface SubmissionResult {
  readonly agent_id: string;
  readonly agent_version_id: string;
  readonly admission_status: 'ACCEPTED' | 'REJECTED';
  readonly admission_reason: 'COOLDOWN' | 'CODE_ANALYSIS' | 'INVALID_FILE' | 'NO_ACTIVE_SUITE' | null;
  readonly next_allowed_at: string;
  readonly hotkey: string;
  readonly message: string;
}

/** An agent name has other characters or another length. Submit under another name; the file was not looked at. */
export interface InvalidAgentNameError {
  readonly detail: string;
  readonly error_code: 'INVALID_AGENT_NAME';
}

/** InvalidFileError: the file is no Python source in UTF-8. Mend the file and send it again. */
export interface InvalidFileError {
  readonly detail: string;
  readonly error_code: 'INVALID_FILE';
}

/** The hotkey has another role than the route is for. Sign with a hotkey of the right role. */
export interface WrongRoleError {
  readonly detail: string;
  readonly error_code: 'WRONG_ROLE';
}

/** This Idempotency-Key stood for another request. Send a new key with a new request, and an old one only with the same body. */
export interface IdempotencyConflictError {
  readonly detail: string;
  readonly error_code: 'IDEMPOTENCY_CONFLICT';
}

/** The file is larger than it may be; max_bytes says how large. Send a smaller one. */
export interface FileTooLargeError {
  readonly detail: string;
  readonly error_code: 'FILE_TOO_LARGE';
  readonly max_bytes: number;
}

/** The static analysis refuses this file. Mend what violations lists, and look first with POST /v1/miner/submit/check. */
export interface CodeAnalysisError {
  readonly detail: string;
  readonly error_code: 'CODE_ANALYSIS_ERROR';
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly rule: string;
  readonly category: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly snippet: string;
}

/** The cooldown of your last submission is not over; next_allowed_at says when it is. Wait until then; POST /v1/miner/submit/check looks at a file meanwhile. */
export interface CooldownActiveError {
  readonly detail: string;
  readonly error_code: 'COOLDOWN_ACTIVE';
  readonly remaining_seconds: number;
  readonly next_allowed_at: string;
}

/** No suite is active now. Wait until operators activate the next one. */
export interface NoActiveSuiteError {
  readonly detail: string;
  readonly error_code: 'NO_ACTIVE_SUITE';
}

export interface MinerAgentListing {
  readonly agents: readonly {
    readonly agent_id: string;
    readonly miner_hotkey: string;
    readonly agent_name: string;
    readonly created_at: string;
    readonly latest_version: MinerAgentVersion;
  }[];
  readonly can_submit: boolean;
  readonly next_allowed_at: string | null;
  readonly racing_agent_version_id: string | null;
  readonly racing_agent_id: string | null;
}

export interface MinerAgentVersion {
  readonly eliminated_at: string | null;
  readonly eliminated_in_race_number: number | null;
  readonly agent_version_id: string;
  readonly version_number: number;
  readonly submitted_at: string;
  readonly state: string;
  readonly final_score: number | null;
  readonly is_selected_for_race: boolean;
  /** Why it does not race although it is pinned: below_threshold, discarded, eliminated, not_eligible, superseded_suite. infra/reference/reasons.md says what each means. */
  readonly selection_fallback_reason: string | null;
  readonly is_pinnable: boolean;
  /** Why it cannot be pinned: below_threshold, discarded, eliminated, not_eligible, superseded_suite. infra/reference/reasons.md says what each means. */
  readonly pin_disabled_reason: string | null;
}

/** None of your agents has this id. Take the id from GET /v1/miner/agents. */
export interface AgentNotFoundError {
  readonly detail: string;
  readonly error_code: 'AGENT_NOT_FOUND';
}

export interface RaceSelection {
  readonly racing_agent_version_id: string | null;
  readonly racing_agent_id: string | null;
}

/** This version cannot race; pin_disabled_reason says why. Pin another one: GET /v1/miner/agents shows which can be pinned. */
export interface NotPinnableError {
  readonly detail: string;
  readonly error_code: 'NOT_PINNABLE';
  readonly pin_disabled_reason: 'discarded' | 'superseded_suite' | 'eliminated' | 'not_eligible' | 'below_threshold';
}

/** Qualifying is closed. Wait until the race is over; pins can change again then. */
export interface RaceLockedError {
  readonly detail: string;
  readonly error_code: 'RACE_LOCKED';
}

export interface CredentialListing {
  readonly providers: readonly CredentialStatus[];
  readonly default_provider: string | null;
}

export interface CredentialStatus {
  readonly connected: boolean;
  readonly provider: string;
  readonly updated_at: string | null;
}

export interface DefaultProvider {
  readonly default_provider: string;
}

/** The provider that is to become the default is not connected. Connect it first: POST /v1/miner/inference-auth/{provider}. */
export interface NotConnectedError {
  readonly detail: string;
  readonly error_code: 'NOT_CONNECTED';
}

/** There is no such inference provider. Take its name from GET /v1/public/inference/models. */
export interface UnknownProviderError {
  readonly detail: string;
  readonly error_code: 'UNKNOWN_PROVIDER';
}

/** The provider does not accept this credential. Check it at the provider, then store it again. */
export interface CredentialRejectedError {
  readonly detail: string;
  readonly error_code: 'CREDENTIAL_REJECTED';
}

/** The inference provider cannot be reached right now. Send the same request again after Retry-After. */
export interface ProviderUnavailableError {
  readonly detail: string;
  readonly error_code: 'PROVIDER_UNAVAILABLE';
  readonly retry_after_seconds?: number | undefined;
  readonly provider_failed?: true | undefined;
}

export interface LegacyCredentialStatus {
  readonly connected: boolean;
  readonly updated_at: string | null;
}

export type ChatCompletion = {
} & Readonly<Record<string, unknown>>;

/** This run has spent as much as one run may of its miner’s account. Go on without models: no further one is answered by this provider. */
export interface SpendLimitReachedError {
  readonly detail: string;
  readonly error_code: 'SPEND_LIMIT_REACHED';
}

/** The model is not on the allowlist. Ask one of allowed_models. */
export interface ModelNotAllowedError {
  readonly detail: string;
  readonly error_code: 'MODEL_NOT_ALLOWED';
  readonly allowed_models: readonly string[];
}

export interface Claim {
  readonly eval_run_id: string;
  readonly agent_version_id: string;
  readonly suite_id: number;
  readonly suite_version: number;
  readonly phase: 'QUALIFYING' | 'RACE';
  readonly race_id: string | null;
  readonly execution_kind: 'legacy_benchmark' | 'envpack';
  readonly env_pack_sha256: string | null;
  readonly lease_expires_at: string;
  readonly heartbeat_interval_seconds: number;
  readonly code_download_url: string;
  readonly code_sha256: string;
  readonly inference_token: {
    readonly provider: string;
    readonly access_token: string;
    readonly base_url: string;
    readonly expires_at: string;
  } | null;
  readonly providera_access_token: string | null;
}

/** You hold as many runs, or the run has as many uploads, as may be. Complete or release a run, then claim again. */
export interface AtCapacityError {
  readonly detail: string;
  readonly error_code: 'AT_CAPACITY';
}

/** The run is not, or no longer, yours. Stop it and claim work again. */
export interface NotRunOwnerError {
  readonly detail: string;
  readonly error_code: 'NOT_RUN_OWNER';
  readonly run_status?: 'STALE' | 'CANCELLED' | undefined;
}

/** The lease of this run is over; run_status says how. Stop it and claim work again. */
export interface LeaseExpiredError {
  readonly detail: string;
  readonly error_code: 'LEASE_EXPIRED';
  readonly run_status: 'STALE' | 'CANCELLED';
}

/** This run was completed before, and how it ended stands. Claim work again. */
export interface RunAlreadyCompleteError {
  readonly detail: string;
  readonly error_code: 'RUN_ALREADY_COMPLETE';
}

/** The problem is not of this run. GET /v1/validator/evaluation-runs/{eval_run_id}/problems lists those that are. */
export interface InvalidProblemIdError {
  readonly detail: string;
  readonly error_code: 'INVALID_PROBLEM_ID';
}

export interface EpisodeResultAnswers {
  readonly results: readonly ({
    readonly eval_run_id: string | null;
    readonly task_id: string | null;
    readonly status: 201 | 404 | 409 | 422;
    readonly episode_result_id: string | null;
    readonly error: string | null;
  })[];
  readonly counts: Readonly<Record<string, number>>;
}

export interface ArtifactUploadTarget {
  readonly upload_url: string;
  readonly artifact_uri: string;
  readonly artifact_sha256: string;
}

/** The pack is not the one of this run. Send the env_pack_sha256 of its claim. */
export interface PackMismatchError {
  readonly detail: string;
  readonly error_code: 'PACK_MISMATCH';
}

export interface LogUploadTarget {
  readonly upload_url: string;
  readonly method: 'PUT';
  readonly results_s3_key: string;
  readonly expires_at: string;
}

export interface CompletionResult {
  readonly eval_run_id: string;
  readonly status: string;
  readonly work_item: {
    readonly included_success_count: number;
    readonly required_successes: number;
    readonly is_closed: boolean;
  };
  readonly agent_version_became_eligible: boolean;
  readonly final_score: number | null;
}

/** The terminal_status SUCCESS needs validator_score, a number from 0 to 1. Complete the run again with it; the run is still yours. */
export interface MissingScoreError {
  readonly detail: string;
  readonly error_code: 'MISSING_SCORE';
}

/** Tasks of the roster have no stored result; missing_task_ids names some. Send their results, then complete the run again. */
export interface ResultsIncompleteError {
  readonly detail: string;
  readonly error_code: 'RESULTS_INCOMPLETE';
  readonly missing_count: number;
  readonly missing_task_ids: readonly string[];
}

/** validator_score is not the mean of the stored results; expected_score is. Look where yours comes from, then complete the run again with their mean. */
export interface ScoreMismatchError {
  readonly detail: string;
  readonly error_code: 'SCORE_MISMATCH';
  readonly expected_score: number;
}

export interface PackDelivery {
  readonly pack_sha256: string;
  readonly download_url: string;
  readonly download_url_expires_at: string;
  readonly download_url_sha256: string;
  readonly download_url_size_bytes: number;
  readonly delivery_scope: 'race' | 'qualifying';
  readonly delivery_task_ids: readonly string[];
  readonly contract_version: string;
  readonly runtime_version: string;
  readonly result_schema_version: string;
  readonly tool_contract_version: string;
  readonly verifier_version: string;
  readonly catalog_epoch: string;
  readonly catalog_sha256: string;
  readonly search_index_epoch: string | null;
  readonly search_index_sha256: string | null;
  readonly task_count: number;
  readonly family_counts: Readonly<Record<string, number>>;
  readonly artifact_signature: string | null;
}

/** There is no such pack for you now. Ask for the env_pack_sha256 of a run that you hold. */
export interface PackNotFoundError {
  readonly detail: string;
  readonly error_code: 'PACK_NOT_FOUND';
}

export interface RacePackDelivery {
  readonly pack_sha256: string;
  readonly download_url: string;
  readonly download_url_expires_at: string;
  readonly download_url_sha256: string;
  readonly download_url_size_bytes: number;
  readonly delivery_scope: 'race' | 'qualifying';
  readonly delivery_task_ids: readonly string[];
  readonly contract_version: string;
  readonly runtime_version: string;
  readonly result_schema_version: string;
  readonly tool_contract_version: string;
  readonly verifier_version: string;
  readonly catalog_epoch: string;
  readonly catalog_sha256: string;
  readonly search_index_epoch: string | null;
  readonly search_index_sha256: string | null;
  readonly task_count: number;
  readonly family_counts: Readonly<Record<string, number>>;
  readonly race_id: string;
}

/** You hold no live run of this race. Claim work of it first. */
export interface NoActiveWorkError {
  readonly detail: string;
  readonly error_code: 'NO_ACTIVE_WORK';
}

export interface WeightStandings {
  readonly eligible: boolean;
  /** The block divided by 360; for some seconds after the turn it may be the one before */
  readonly epoch_index: number;
  /** Always empty */
  readonly weight_overlay: Readonly<Record<string, number>>;
  readonly epoch_standings: {
    readonly top_hotkey: string | null;
    readonly t_burn: number;
    readonly finishers: readonly {
      readonly miner_hotkey: string;
      readonly agent_version_id: string;
      readonly race_score: number;
    }[];
  } | null;
}

/** Other suites show all tasks that this one would hold out for its races. Choose other tasks, or a pack with more of them. */
export interface NoTaskHeldOutError {
  readonly detail: string;
  readonly error_code: 'NO_TASK_HELD_OUT';
}

/** A suite that has races holds the task out, and a roster is public at once. Choose other tasks. */
export interface TaskHeldOutError {
  readonly detail: string;
  readonly error_code: 'TASK_HELD_OUT';
}

/** The order failed too often, and an operator dropped its message: it never will be carried out. If it is still wanted, give it as a new order under a new Idempotency-Key. */
export interface OrderDroppedError {
  readonly detail: string;
  readonly error_code: 'ORDER_DROPPED';
}

/** The order failed too often and is set aside as a parked message: it is not carried out. Repair the cause, then use paddock operator resend-message; or drop-message ends it. */
export interface OrderParkedError {
  readonly detail: string;
  readonly error_code: 'ORDER_PARKED';
}

/** The race is over. Leave it as it is; what it came to stands. */
export interface RaceOverError {
  readonly detail: string;
  readonly error_code: 'RACE_OVER';
  readonly race_status?: 'RACE_COMPLETE' | 'RACE_CANCELLED' | undefined;
}

export interface Similarity {
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly version_number: number;
  readonly miner_hotkey: string;
  readonly submitted_at: string;
  readonly state: 'PENDING' | 'REPORTED' | 'UNREADABLE';
  readonly verdict: 'clean' | 'suspicious' | 'copy' | null;
  readonly reasons: readonly ('SAME_FILE' | 'MOST_IS_IN_EARLIER' | 'EARLIER_IS_INSIDE' | 'NOTHING_OF_ITS_OWN' | 'PART_IS_IN_EARLIER' | 'PART_OF_EARLIER_IS_INSIDE')[];
  readonly common_share: number | null;
  /** Of each miner the nearest version. */
  readonly matches: readonly ({
    readonly agent_version_id: string;
    readonly agent_name: string;
    readonly version_number: number;
    readonly miner_hotkey: string;
    readonly submitted_at: string;
    /** OWN: of the same hotkey or coldkey, which says nothing against it. */
    readonly relation: 'OTHER' | 'OWN';
    readonly verdict: 'clean' | 'suspicious' | 'copy';
    readonly reasons: readonly ('SAME_FILE' | 'MOST_IS_IN_EARLIER' | 'EARLIER_IS_INSIDE' | 'NOTHING_OF_ITS_OWN' | 'PART_IS_IN_EARLIER' | 'PART_OF_EARLIER_IS_INSIDE')[];
    readonly is_same_file: boolean;
    /** Whether anybody could read it when the later file was submitted. */
    readonly was_public: boolean;
    /** Of this file, what is in the earlier one; what many have weighs less. */
    readonly share: number;
    /** Of the earlier file, what is in this one. */
    readonly source_share: number;
    /** As `share`, with everything weighing the same. */
    readonly plain_share: number;
    readonly passages: readonly {
      readonly first_line: number;
      readonly last_line: number;
      readonly earlier_first_line: number;
      readonly earlier_last_line: number;
    }[];
  })[];
  readonly reported_at: string | null;
}

export interface SimilaritySummary {
  readonly agent_version_id: string;
  readonly agent_name: string;
  readonly version_number: number;
  readonly miner_hotkey: string;
  readonly submitted_at: string;
  readonly verdict: 'clean' | 'suspicious' | 'copy';
  readonly reasons: readonly ('SAME_FILE' | 'MOST_IS_IN_EARLIER' | 'EARLIER_IS_INSIDE' | 'NOTHING_OF_ITS_OWN' | 'PART_IS_IN_EARLIER' | 'PART_OF_EARLIER_IS_INSIDE')[];
  /** The earlier version that the verdict rests on; null where clean. */
  readonly earlier_agent_version_id: string | null;
  readonly reported_at: string;
}

/** Only a success counts or is left out; run_status says how the run ended. Leave it as it is. */
export interface RunNotSuccessfulError {
  readonly detail: string;
  readonly error_code: 'RUN_NOT_SUCCESSFUL';
  readonly run_status: 'FAILED' | 'TIMED_OUT' | 'STALE' | 'CANCELLED';
}

/** The run has not ended yet. Wait for its end, or reclaim it first. */
export interface RunStillLiveError {
  readonly detail: string;
  readonly error_code: 'RUN_STILL_LIVE';
  readonly run_status: 'CLAIMED' | 'RUNNING';
}

/** This success cannot count: its work was cancelled, it is a rejudging, or a run counts in its place. Exclude what counts in its place first, where there is such a run. */
export interface RunNotIncludableError {
  readonly detail: string;
  readonly error_code: 'RUN_NOT_INCLUDABLE';
  readonly run_status: 'SUCCESS';
}

/** The run has ended; run_status says how. Reclaim live runs only. */
export interface RunNotLiveError {
  readonly detail: string;
  readonly error_code: 'RUN_NOT_LIVE';
  readonly run_status: 'SUCCESS' | 'FAILED' | 'TIMED_OUT' | 'CANCELLED';
}

export interface Rejudging {
  readonly rejudging_id: string;
  readonly status: 'OPEN' | 'READY' | 'APPLYING' | 'APPLIED' | 'CANCELLED';
  readonly suite_id: number;
  readonly criteria: {
    readonly validator_hotkey: string | null;
    readonly agent_version_id: string | null;
    readonly phase: 'QUALIFYING' | 'RACE' | null;
    readonly task_id: string | null;
    readonly env_pack_sha256: string | null;
    readonly claimed_from: string | null;
    readonly claimed_until: string | null;
  };
  readonly reason: string | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly runs: {
    readonly selected: number;
    readonly evaluated: number;
    readonly applied: number;
    readonly failed: number;
  };
  readonly items: readonly ({
    readonly eval_run_id: string;
    readonly agent_version_id: string;
    readonly agent_name: string;
    readonly validator_hotkey: string;
    readonly phase: 'QUALIFYING' | 'RACE';
    readonly race_id: string | null;
    readonly validator_score: number;
    readonly status: 'WAITING' | 'RUNNING' | 'JUDGED' | 'APPLIED' | 'DROPPED' | 'ENDED';
    /** Why nothing came of it, or will: AGENT_FAILURES, INTEGRITY, NO_VERDICT, RACE_OVER, REJUDGING_CANCELLED, RUN_EXCLUDED, SAME_VALIDATOR, SUITE_SUPERSEDED, VALIDATOR_BANNED, VERSION_DISCARDED. infra/reference/reasons.md says what each means. */
    readonly reason: string | null;
    readonly attempts: number;
    readonly new_run: {
      readonly eval_run_id: string;
      readonly validator_hotkey: string;
      readonly validator_score: number;
    } | null;
    readonly waiting: {
      readonly hold_until: string | null;
      /** Why it is not offered: MINER_BANNED, REPEATED_FAILURES. infra/reference/reasons.md says what each means. */
      readonly hold_reason: string | null;
      /** Seen within the hour and allowed to take it; 0 waits for nobody. */
      readonly able_validators: number;
    } | null;
  })[];
  readonly difference: {
    readonly versions: readonly ({
      readonly agent_version_id: string;
      readonly is_judged: boolean;
      readonly qualifying_score: {
        readonly before: number | null;
        readonly after: number | null;
      };
      readonly qualifying_rank: {
        readonly before: number | null;
        readonly after: number | null;
      };
    })[];
    readonly shifted_count: number;
    /** Each after the ones before it as they would have ended, with the same entrants: 31 from the first judged on, those without a judged run only where they would have ended otherwise. */
    readonly races: readonly ({
      readonly race_id: string;
      readonly race_number: number;
      readonly is_frozen: true;
      readonly winner_agent_version_id: {
        readonly before: string | null;
        readonly after: string | null;
      };
      readonly top_agent_version_id: {
        readonly before: string | null;
        readonly after: string | null;
      };
      readonly entrants: readonly ({
        readonly agent_version_id: string;
        readonly is_judged: boolean;
        readonly race_score: {
          readonly before: number | null;
          readonly after: number | null;
        };
        readonly weighted_score: {
          readonly before: number | null;
          readonly after: number | null;
        };
        readonly race_rank: {
          readonly before: number | null;
          readonly after: number | null;
        };
        readonly is_eliminated: {
          readonly before: boolean;
          readonly after: boolean;
        };
        readonly payout: {
          readonly before: {
            readonly units: string;
            readonly tao_per_day: number | null;
            readonly usd_per_day: number | null;
          };
          readonly after: {
            readonly units: string;
            readonly tao_per_day: number | null;
            readonly usd_per_day: number | null;
          };
        };
      })[];
      readonly burn: {
        readonly before: {
          readonly units: string;
          readonly tao_per_day: number | null;
          readonly usd_per_day: number | null;
        };
        readonly after: {
          readonly units: string;
          readonly tao_per_day: number | null;
          readonly usd_per_day: number | null;
        };
      };
    })[];
  };
}

export interface RejudgingSummary {
  readonly rejudging_id: string;
  readonly status: 'OPEN' | 'READY' | 'APPLYING' | 'APPLIED' | 'CANCELLED';
  readonly suite_id: number;
  readonly criteria: {
    readonly validator_hotkey: string | null;
    readonly agent_version_id: string | null;
    readonly phase: 'QUALIFYING' | 'RACE' | null;
    readonly task_id: string | null;
    readonly env_pack_sha256: string | null;
    readonly claimed_from: string | null;
    readonly claimed_until: string | null;
  };
  readonly reason: string | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly runs: {
    readonly selected: number;
    readonly evaluated: number;
    readonly applied: number;
    readonly failed: number;
  };
}

/** There is no such rejudging. Take its id from GET /v1/admin/rejudgings. */
export interface RejudgingNotFoundError {
  readonly detail: string;
  readonly error_code: 'REJUDGING_NOT_FOUND';
}

/** Some of its runs are not judged again yet. Wait until its status is READY. */
export interface RejudgingNotReadyError {
  readonly detail: string;
  readonly error_code: 'REJUDGING_NOT_READY';
}

/** This rejudging was applied or cancelled before. Open another one if runs are to be judged again. */
export interface RejudgingOverError {
  readonly detail: string;
  readonly error_code: 'REJUDGING_OVER';
}

/** There is no such parked message, or not any more. Take its id from GET /v1/admin/parked-messages. */
export interface ParkedMessageNotFoundError {
  readonly detail: string;
  readonly error_code: 'PARKED_MESSAGE_NOT_FOUND';
}

/** Who sent the message was not kept when it was parked. Drop it instead. */
export interface NotResendableError {
  readonly detail: string;
  readonly error_code: 'NOT_RESENDABLE';
}

export interface TraceSummary {
  readonly trace_id: string;
  readonly name: string;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly status: number | null;
  readonly fault: string | null;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly span_count: number;
  readonly processes: readonly string[];
}

/** Whoever keeps the last traces cannot be reached right now. Send the same request again after Retry-After. */
export interface TracesUnavailableError {
  readonly detail: string;
  readonly error_code: 'TRACES_UNAVAILABLE';
  readonly retry_after_seconds?: number | undefined;
}

export interface Trace {
  readonly trace_id: string;
  readonly name: string;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly status: number | null;
  readonly fault: string | null;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly span_count: number;
  readonly processes: readonly string[];
  readonly dropped_spans: number;
  readonly spans: readonly ({
    readonly span_id: string;
    readonly parent_span_id: string | null;
    readonly trace_id: string;
    readonly name: string;
    readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
    readonly process: string;
    readonly offset_ms: number;
    readonly duration_ms: number;
    readonly is_error: boolean;
    readonly attributes: Readonly<Record<string, string>>;
  })[];
}

/** No such trace is kept, or not any more. Take its id from GET /v1/admin/traces. */
export interface TraceNotFoundError {
  readonly detail: string;
  readonly error_code: 'TRACE_NOT_FOUND';
}

/** There is no such live process. Take its id from GET /v1/admin/partitions. */
export interface ActorNotFoundError {
  readonly detail: string;
  readonly error_code: 'ACTOR_NOT_FOUND';
}

/** No other process could take over its partitions. Start another one first. */
export interface LastActorError {
  readonly detail: string;
  readonly error_code: 'LAST_ACTOR';
}

export interface Webhook {
  readonly webhook_id: string;
  readonly url: string;
  readonly event_types: readonly ('submission-accepted' | 'version-eligible' | 'run-claimed' | 'run-ended' | 'race-opened' | 'race-closed' | 'race-started' | 'race-completed' | 'race-cancelled' | 'top-changed' | 'code-released' | 'history-restored')[] | null;
  readonly created_at: string;
  readonly cursor: number;
  readonly lag: number;
  readonly status: 'active' | 'failing';
  readonly failure_count: number;
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly last_event_cursor: number | null;
  readonly last_status_code: number | null;
  readonly last_error: string | null;
  readonly last_success_at: string | null;
}

export interface CredentialKey {
  readonly key_id: string;
  readonly is_known: boolean;
  readonly is_sealing: boolean;
  readonly text_count: number;
  readonly texts: Readonly<Record<string, number>>;
  readonly first_sealed_at: string | null;
  readonly last_sealed_at: string | null;
  readonly last_seen_at: string | null;
  readonly can_be_removed: boolean;
}

/** There is no such webhook. Take its id from GET /v1/admin/webhooks. */
export interface WebhookNotFoundError {
  readonly detail: string;
  readonly error_code: 'WEBHOOK_NOT_FOUND';
}

/** The clock of this service is the real one. Start a service with a simulated clock to move it. */
export interface ClockIsRealError {
  readonly detail: string;
  readonly error_code: 'CLOCK_IS_REAL';
}

/** What each code of an error comes with. */
export interface ErrorByCode {
  readonly 'ACTOR_NOT_FOUND': ActorNotFoundError;
  readonly 'AGENT_NOT_FOUND': AgentNotFoundError;
  readonly 'AGENT_VERSION_NOT_FOUND': AgentVersionNotFoundError;
  readonly 'ARTIFACT_NOT_FOUND': ArtifactNotFoundError;
  readonly 'ARTIFACT_NOT_RELEASED': ArtifactNotReleasedError;
  readonly 'AT_CAPACITY': AtCapacityError;
  readonly 'BANNED': BannedError;
  readonly 'BODY_TOO_LARGE': BodyTooLargeError;
  readonly 'CHAIN_UNAVAILABLE': ChainUnavailableError;
  readonly 'CLOCK_IS_REAL': ClockIsRealError;
  readonly 'CODE_ANALYSIS_ERROR': CodeAnalysisError;
  readonly 'COOLDOWN_ACTIVE': CooldownActiveError;
  readonly 'CREDENTIAL_REJECTED': CredentialRejectedError;
  readonly 'EVAL_RUN_NOT_FOUND': EvalRunNotFoundError;
  readonly 'FILE_TOO_LARGE': FileTooLargeError;
  readonly 'IDEMPOTENCY_CONFLICT': IdempotencyConflictError;
  readonly 'INTERNAL_ERROR': InternalError;
  readonly 'INVALID_AGENT_NAME': InvalidAgentNameError;
  readonly 'INVALID_ARTIFACT_TYPE': InvalidArtifactTypeError;
  readonly 'INVALID_CHALLENGE': InvalidChallengeError;
  readonly 'INVALID_FILE': InvalidFileError;
  readonly 'INVALID_HOTKEY': InvalidHotkeyError;
  readonly 'INVALID_NONCE': InvalidNonceError;
  readonly 'INVALID_PROBLEM_ID': InvalidProblemIdError;
  readonly 'INVALID_SESSION': InvalidSessionError;
  readonly 'INVALID_SIGNATURE': InvalidSignatureError;
  readonly 'INVALID_TIMESTAMP': InvalidTimestampError;
  readonly 'LAST_ACTOR': LastActorError;
  readonly 'LEASE_EXPIRED': LeaseExpiredError;
  readonly 'METHOD_NOT_ALLOWED': MethodNotAllowedError;
  readonly 'MISSING_CREDENTIALS': MissingCredentialsError;
  readonly 'MISSING_PARAMETER': MissingParameterError;
  readonly 'MISSING_SCORE': MissingScoreError;
  readonly 'MODEL_NOT_ALLOWED': ModelNotAllowedError;
  readonly 'NONCE_REUSED': NonceReusedError;
  readonly 'NOT_CONNECTED': NotConnectedError;
  readonly 'NOT_PINNABLE': NotPinnableError;
  readonly 'NOT_REGISTERED': NotRegisteredError;
  readonly 'NOT_RESENDABLE': NotResendableError;
  readonly 'NOT_RUN_OWNER': NotRunOwnerError;
  readonly 'NO_ACTIVE_SUITE': NoActiveSuiteError;
  readonly 'NO_ACTIVE_WORK': NoActiveWorkError;
  readonly 'NO_TASK_HELD_OUT': NoTaskHeldOutError;
  readonly 'ORDER_DROPPED': OrderDroppedError;
  readonly 'ORDER_PARKED': OrderParkedError;
  readonly 'OUTCOME_UNKNOWN': OutcomeUnknownError;
  readonly 'OVERLOADED': OverloadedError;
  readonly 'OWNER_UNAVAILABLE': OwnerUnavailableError;
  readonly 'PACK_MISMATCH': PackMismatchError;
  readonly 'PACK_NOT_FOUND': PackNotFoundError;
  readonly 'PARKED_MESSAGE_NOT_FOUND': ParkedMessageNotFoundError;
  readonly 'PROVIDER_UNAVAILABLE': ProviderUnavailableError;
  readonly 'RACE_IN_FLIGHT': RaceInFlightError;
  readonly 'RACE_LOCKED': RaceLockedError;
  readonly 'RACE_NOT_FOUND': RaceNotFoundError;
  readonly 'RACE_OVER': RaceOverError;
  readonly 'RATE_LIMITED': RateLimitedError;
  readonly 'READ_ONLY': ReadOnlyError;
  readonly 'REJUDGING_NOT_FOUND': RejudgingNotFoundError;
  readonly 'REJUDGING_NOT_READY': RejudgingNotReadyError;
  readonly 'REJUDGING_OVER': RejudgingOverError;
  readonly 'RESULTS_INCOMPLETE': ResultsIncompleteError;
  readonly 'ROUTE_NOT_FOUND': RouteNotFoundError;
  readonly 'RUN_ALREADY_COMPLETE': RunAlreadyCompleteError;
  readonly 'RUN_NOT_INCLUDABLE': RunNotIncludableError;
  readonly 'RUN_NOT_LIVE': RunNotLiveError;
  readonly 'RUN_NOT_SUCCESSFUL': RunNotSuccessfulError;
  readonly 'RUN_STILL_LIVE': RunStillLiveError;
  readonly 'SCORE_MISMATCH': ScoreMismatchError;
  readonly 'SPEND_LIMIT_REACHED': SpendLimitReachedError;
  readonly 'STORAGE_UNAVAILABLE': StorageUnavailableError;
  readonly 'STORE_UNAVAILABLE': StoreUnavailableError;
  readonly 'SUITE_NOT_FOUND': SuiteNotFoundError;
  readonly 'TASK_HELD_OUT': TaskHeldOutError;
  readonly 'TIMESTAMP_SKEW': TimestampSkewError;
  readonly 'TRACES_UNAVAILABLE': TracesUnavailableError;
  readonly 'TRACE_NOT_FOUND': TraceNotFoundError;
  readonly 'UNKNOWN_PROVIDER': UnknownProviderError;
  readonly 'UNSUPPORTED_MEDIA_TYPE': UnsupportedMediaTypeError;
  readonly 'VALIDATION_FAILED': ValidationError;
  readonly 'WEBHOOK_NOT_FOUND': WebhookNotFoundError;
  readonly 'WRONG_ROLE': WrongRoleError;
}
