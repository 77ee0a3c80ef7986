import { z } from 'zod';
import { credentialsService } from '../../../../actors/services/credentials/messages.ts';
import { askService } from '../../ask-service.ts';
import { endpoint } from '../../endpoint.ts';
import { credentialStatus, toCredentialStatus } from '../../wire/credential-status.ts';
import { providerInPath, providerName } from '../../wire/provider.ts';

export const disconnectProvider = endpoint({
  method: 'delete',
  path: '/v1/miner/inference-auth/{provider}',
  role: 'miner',
  owner: 'caller',
  summary:
    "Forget a provider's credential and end what was lent from it, also to live runs; a default " +
    'that goes falls to the other connected provider, if there is one',
  trafficClass: 1,
  params: z.object({ provider: providerName }),
  response: credentialStatus,
  faults: ['UNKNOWN_PROVIDER', 'NOT_CONNECTED', 'OUTCOME_UNKNOWN', 'STORE_UNAVAILABLE'],

  async handle({ caller, params, context }, { bus, config }) {
    const provider = providerInPath(params.provider, config);
    const { connected, updatedAtMs } = await askService(bus, credentialsService, {
      type: 'disconnect',
      body: { hotkey: caller.name, provider },
      id: context.commandId,
      account: caller.name,
    });
    return toCredentialStatus(provider, { isConnected: connected, updatedAt: updatedAtMs }, config);
  },
});
