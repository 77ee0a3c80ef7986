import { z } from 'zod';
import type { Config } from '../../../infra/config/config.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';
import { formatInstantOrNull, instant } from './instant.ts';
import { providerNameOf } from './provider.ts';

/** A refresh token or an API key: visible ASCII, as headers and forms carry it. */
export const credentialText = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x20-\x7e]*$/, 'must hold visible ASCII characters only');

export const credentialStatus = z
  .object({ connected: z.boolean(), provider: z.string(), updated_at: instant.nullable() })
  .meta({ id: 'CredentialStatus' });

export const legacyCredentialStatus = z
  .object({ connected: z.boolean(), updated_at: instant.nullable() })
  .meta({ id: 'LegacyCredentialStatus' });

export interface StatusFields {
  readonly isConnected: boolean;
  readonly updatedAt: Date | number | null;
}

export function toLegacyStatus({ isConnected, updatedAt }: StatusFields) {
  return { connected: isConnected, updated_at: formatInstantOrNull(updatedAt) };
}

export function toCredentialStatus(
  provider: ProviderId,
  fields: StatusFields,
  config: Pick<Config, 'provideraName' | 'providerbName'>,
): z.input<typeof credentialStatus> {
  return { ...toLegacyStatus(fields), provider: providerNameOf(provider, config) };
}
