/** Nothing is to change by itself, and most requests are to meet the checks behind the limits. */
export const hostileSettings = {
  LEASE_SECONDS: '86400',
  CLAIM_LEASE_SECONDS: '86400',
  NO_PROGRESS_SECONDS: '86400',
  RUN_LIMIT_SECONDS: '86400',
  // Hostile requests bear an address each, honest ones share one, and floods have three.
  TRUSTED_PROXIES: '127.0.0.1',
  PUBLIC_RATE_PER_MINUTE: '600',
  CHALLENGE_RATE_PER_MINUTE: '1000',
  SESSION_RATE_PER_MINUTE: '1000',
  HOTKEY_RATE_PER_MINUTE: '1000000',
  FALSE_PROOFS_PER_SECOND: '1000000',
  REJECTED_SUBMISSIONS_PER_HOUR: '1000000',
  CHAIN_CACHE_SECONDS: '86400',
  SESSION_SECONDS: '86400',
  EPOCH_BLOCKS: '100000',
} as const;
