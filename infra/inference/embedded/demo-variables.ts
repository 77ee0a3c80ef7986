import type { ProviderId } from '../../ports/inference.ts';
import { demoModels } from './demo-models.ts';

/** The variables by which a service allows what the stand-in of `PROVIDERA` or `PROVIDERB` serves. */
export function demoModelVariables(provider: ProviderId): Record<string, string> {
  const { allowed, aliases, monitored } = demoModels[provider];
  const key = provider.toUpperCase();
  const pairs = Object.entries(aliases).map(([alias, model]) => `${alias}=${model}`);
  return {
    [`${key}_MODELS`]: allowed.join(','),
    [`${key}_ALIASES`]: pairs.join(','),
    ...(monitored.length > 0 && { [`${key}_MONITORED_MODELS`]: monitored.join(',') }),
  };
}
