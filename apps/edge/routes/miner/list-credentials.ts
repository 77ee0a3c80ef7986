import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { credentialStatuses } from '../../reads/credentials.ts';
import { credentialStatus, toCredentialStatus } from '../../wire/credential-status.ts';
import { providerNameOf } from '../../wire/provider.ts';

export const listCredentials = endpoint({
  method: 'get',
  path: '/v1/miner/inference-auth',
  role: 'miner',
  owner: 'caller',
  summary: 'Show which inference providers are connected, and which one runs are served by',
  trafficClass: 2,
  response: z
    .object({ providers: z.array(credentialStatus), default_provider: z.string().nullable() })
    .meta({ id: 'CredentialListing' }),
  faults: ['STORE_UNAVAILABLE'],

  async handle({ caller }, { sql, config }) {
    const statuses = await credentialStatuses(sql, caller.name);
    const chosen = statuses.find(({ isDefault }) => isDefault);
    return {
      providers: statuses.map((status) => toCredentialStatus(status.provider, status, config)),
      default_provider: chosen === undefined ? null : providerNameOf(chosen.provider, config),
    };
  },
});
