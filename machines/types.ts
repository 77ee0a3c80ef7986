export const executionKinds = ['legacy_benchmark', 'envpack'] as const;
export type ExecutionKind = (typeof executionKinds)[number];

export const phases = ['QUALIFYING', 'RACE'] as const;
export type Phase = (typeof phases)[number];

/** Whose fault a failed run was; only AGENT and INTEGRITY count against a version. */
export const faultClasses = [
  'AGENT',
  'VALIDATOR',
  'PROVIDER',
  'PLATFORM',
  'INTEGRITY',
  'UNATTRIBUTED',
] as const;
export type FaultClass = (typeof faultClasses)[number];

export const episodeOutcomes = [
  'completed',
  'partial',
  'agent_error',
  'environment_error',
  'verifier_error',
  'leakage',
  'exploit',
] as const;
export type EpisodeOutcome = (typeof episodeOutcomes)[number];

/** What the machines may be told of the configuration; all durations in milliseconds. */
export interface EvalPolicy {
  /** From the claim to the first heartbeat: clients prepare for minutes. */
  readonly claimLeaseMs: number;
  /** From any later sign of life. */
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly noProgressMs: number;
  readonly runLimitMs: number;
  /** More live leases than this share ending within a second is our outage, not theirs. */
  readonly expiryBrakeShareMicro: number;
  /** Stale or platform-failed runs until a work item is held; the first hold, and the longest. */
  readonly holdFailures: number;
  readonly holdMs: number;
  readonly holdMaxMs: number;
  readonly agentFailureLimit: number;
  readonly cooldownMs: number;
  readonly discardCooldownMs: number;
  /** How far apart the queue places two works of one hotkey (start-time fair queueing). */
  readonly queueSpacingMs: number;
  readonly platformFaultShareMicro: number;
  readonly faultTable: readonly FaultRule[];
  /** `s3://bucket/episodes/`: what a presigned `ledger_uri` begins with. */
  readonly artifactUriPrefix: string;
}

/** One line of the table that blames a failed run by its reason text; the first match decides. */
export interface FaultRule {
  readonly pattern: string;
  readonly class: FaultClass;
  /** Counts only where the claim handed out no inference token: else the text proves nothing. */
  readonly onlyWithoutToken: boolean;
}
