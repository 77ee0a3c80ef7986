import type { Config } from '../../infra/config/config.ts';
import type { EvalPolicy } from '../../machines/types.ts';

const second = 1000;
// About what one evaluation takes: who submits ten versions at once waits like ten who submit one
// each hour.
const queueSpacingMs = 3_600_000;

/** The configuration in the words of the eval machines. */
export function evalPolicy(config: Config): EvalPolicy {
  return {
    claimLeaseMs: config.claimLeaseSeconds * second,
    leaseMs: config.leaseSeconds * second,
    heartbeatMs: config.heartbeatSeconds * second,
    noProgressMs: config.noProgressSeconds * second,
    runLimitMs: config.runLimitSeconds * second,
    expiryBrakeShareMicro: config.expiryBrakeShareMicro,
    holdFailures: config.workHoldFailures,
    holdMs: config.workHoldSeconds * second,
    holdMaxMs: config.workHoldMaxSeconds * second,
    agentFailureLimit: config.agentFailureLimit,
    cooldownMs: config.cooldownSeconds * second,
    discardCooldownMs: config.discardCooldownSeconds * second,
    queueSpacingMs,
    platformFaultShareMicro: config.platformFaultShareMicro,
    faultTable: config.faultTable,
    artifactUriPrefix: `s3://${config.s3Bucket}/episodes/`,
  };
}
