import type { RuntimePolicy } from '../../../actors/runtime/policy.ts';
import type { LiveRules } from '../../../apps/verify/live/checks/check.ts';
import { type Config, readConfig } from '../../../infra/config/config.ts';

/**
 * Everything a tenth to a third of what production waits, so that a busy hour is a few minutes; the
 * proportions that matter (lease to heartbeat, lease to member's lease) are kept.
 */
export const env = {
  HEARTBEAT_SECONDS: '5',
  LEASE_SECONDS: '20',
  CLAIM_LEASE_SECONDS: '30',
  NO_PROGRESS_SECONDS: '90',
  RUN_LIMIT_SECONDS: '150',
  WORK_HOLD_SECONDS: '5',
  WORK_HOLD_MAX_SECONDS: '20',
  MEMBER_LEASE_SECONDS: '5',
  MEMBER_RENEW_SECONDS: '1',
  // As usual: what is checked against it does not ask the service for it.
  COOLDOWN_SECONDS: '64800',
  CODE_RELEASE_SECONDS: '432000',
  RACE_TASKS: '3',
  QUALIFYING_TASKS: '3',
  EPOCH_BLOCKS: '360',
  // Without a burn the weights add up to 2^16, by which everything can be divided.
  BURN_RATE: '0.3',
  RACE_LIMIT_SECONDS: '7200',
  RACE_EMBARGO_SECONDS: '3600',
  COMPLETION_RETRY_SECONDS: '15',
  CHAIN_RPC_URL: 'http://chain.invalid',
  NETUID: '1',
  DATABASE_URL: 'postgres://sim.invalid/sim',
  NATS_URL: 'nats://sim.invalid',
  S3_ENDPOINT: 'http://store.invalid',
  S3_BUCKET: 'sim',
  S3_ACCESS_KEY_ID: 'sim',
  S3_SECRET_ACCESS_KEY: 'sim',
  OPERATOR_TOKENS: `sim:${'0'.repeat(48)}`,
  CREDENTIAL_KEYS: `sim:${Buffer.alloc(32, 1).toString('base64')}`,
  BUNDLE_SIGNING_KEY: Buffer.alloc(32, 2).toString('base64'),
  RACE_SECRET: Buffer.alloc(32, 3).toString('base64'),
  CLOCK: 'simulated',
} as const;

export const edgeConfig: Config = readConfig(env, { process: 'edge' });
export const coordinatorConfig: Config = readConfig(env, { process: 'coordinator' });

/** What the live check would read in the environment of such a service. */
export const liveRules = {
  cooldownMs: Number(env.COOLDOWN_SECONDS) * 1000,
  codePrivateMs: Number(env.CODE_RELEASE_SECONDS) * 1000,
  noProgressMs: Number(env.NO_PROGRESS_SECONDS) * 1000,
  runLimitMs: Number(env.RUN_LIMIT_SECONDS) * 1000,
} satisfies LiveRules;

/** The runtime looks less often than in production: each look is real I/O here. */
export const runtimePolicy: Partial<RuntimePolicy> = {
  leaseMs: 5_000,
  renewEveryMs: 1_600,
  calmMs: 3_000,
  placeEveryMs: 5_000,
  dueEveryMs: 500,
  edgeLookEveryMs: 500,
  flushEveryMs: 5_000,
  sweepEveryMs: 5_000,
  sweepAfterMs: 5_000,
  ackWaitMs: 5_000,
};
