import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { credentialStatus as statusOf } from '../../reads/credentials.ts';
import { credentialStatus, toCredentialStatus } from '../../wire/credential-status.ts';
import { providerInPath, providerName } from '../../wire/provider.ts';

export const showCredential = endpoint({
  method: 'get',
  path: '/v1/miner/inference-auth/{provider}',
  role: 'miner',
  owner: 'caller',
  summary:
    'Show whether a provider is connected: a credential is stored, and was not refused there since',
  trafficClass: 2,
  params: z.object({ provider: providerName }),
  response: credentialStatus,
  faults: ['UNKNOWN_PROVIDER', 'STORE_UNAVAILABLE'],

  async handle({ caller, params }, { sql, config }) {
    const provider = providerInPath(params.provider, config);
    const status = await statusOf(sql, caller.name, provider);
    return toCredentialStatus(provider, status, config);
  },
});
