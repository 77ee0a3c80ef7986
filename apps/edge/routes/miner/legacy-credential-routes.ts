import type { Config } from '../../../../infra/config/config.ts';
import type { Deprecation, Endpoint } from '../../endpoint.ts';
import { providerNameOf } from '../../wire/provider.ts';

/**
 * Both routes of the time before there were two providers work on the same stored credential as their
 * successor. Their paths are spelt in the specification and stay, whatever providera is called.
 */
export const legacyCredentialRoutes: Deprecation = {
  // 2026-01-01T00:00:00Z
  since: 1_767_225_600,
  successor: '/v1/miner/inference-auth/providera',
};

/** The successor's path has the provider's word, which is configuration. */
export function withSuccessor(endpoint: Endpoint, config: Config): Endpoint {
  if (endpoint.deprecated !== legacyCredentialRoutes) return endpoint;
  const successor = `/v1/miner/inference-auth/${providerNameOf('providera', config)}`;
  return { ...endpoint, deprecated: { ...legacyCredentialRoutes, successor } };
}
