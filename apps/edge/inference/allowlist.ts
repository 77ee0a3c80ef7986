import type { Config } from '../../../infra/config/config.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';

/** What agents may call at one provider, by the configuration. */
export interface Allowlist {
  /** In the operator's order. */
  readonly models: readonly string[];
  readonly aliases: Readonly<Record<string, string>>;
  /** The part that the ranked view shows. */
  readonly monitored: readonly string[];
}

export function allowlistOf(provider: ProviderId, config: Config): Allowlist {
  if (provider === 'providera') {
    const { provideraModels: models, provideraAliases: aliases } = config;
    return { models, aliases, monitored: models };
  }
  const { providerbModels: models, providerbAliases: aliases } = config;
  const { providerbMonitoredModels: some } = config;
  return { models, aliases, monitored: some.length === 0 ? models : some };
}

/** The id of the model that an agent's word means there; undefined when it may not be called. */
export function allowedModel(word: string, { models, aliases }: Allowlist): string | undefined {
  if (models.includes(word)) return word;
  const meant = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  return meant !== undefined && models.includes(meant) ? meant : undefined;
}
