import { z } from 'zod';
import type { Config } from '../../../infra/config/config.ts';
import { type ProviderId, providerIds } from '../../../infra/ports/inference.ts';
import { glimpse, refusal } from '../../../machines/refusal.ts';
import { invalidField } from '../validation.ts';

type Names = Pick<Config, 'provideraName' | 'providerbName'>;

/** Of any provider, known or not. */
export const providerName = z.string().min(1).max(32);

export function providerNameOf(id: ProviderId, config: Names): string {
  return id === 'providera' ? config.provideraName : config.providerbName;
}

/** Undefined for a word that names none. */
export function providerNamed(name: string, config: Names): ProviderId | undefined {
  return providerIds.find((id) => providerNameOf(id, config) === name);
}

/** The provider that a path names. @throws UNKNOWN_PROVIDER */
export function providerInPath(name: string, config: Names): ProviderId {
  const id = providerNamed(name, config);
  if (id !== undefined) return id;
  throw refusal('UNKNOWN_PROVIDER', {
    says: `There is no inference provider of the name ${glimpse(name)}.`,
    next: `Name one of ${providerNames(config)}.`,
  });
}

/** The provider that a field of the body or query names. @throws the 422 */
export function providerInField(
  name: string,
  loc: readonly ['body' | 'query', string],
  config: Names,
): ProviderId {
  const id = providerNamed(name, config);
  if (id !== undefined) return id;
  throw invalidField(loc, `must be one of ${providerNames(config)}`, 'invalid_value');
}

function providerNames(config: Names): string {
  return providerIds.map((each) => providerNameOf(each, config)).join(', ');
}
