import { z } from 'zod';
import { connectProvider as connect, connectFaults } from '../../credentials/connect-provider.ts';
import { endpoint } from '../../endpoint.ts';
import {
  credentialStatus,
  credentialText,
  toCredentialStatus,
} from '../../wire/credential-status.ts';
import { providerInPath, providerName } from '../../wire/provider.ts';

export const connectProvider = endpoint({
  method: 'post',
  path: '/v1/miner/inference-auth/{provider}',
  role: 'miner',
  owner: 'caller',
  summary:
    'Store a credential that the provider accepts, or put another in its place; the first provider ' +
    'connected becomes the default',
  trafficClass: 1,
  params: z.object({ provider: providerName }),
  body: z.object({ credential: credentialText }),
  response: credentialStatus,
  faults: connectFaults,

  async handle({ caller, params, body, context }, deps) {
    const provider = providerInPath(params.provider, deps.config);
    const asked = { provider, credential: body.credential, mustExist: false };
    return toCredentialStatus(
      provider,
      await connect(asked, { caller, context }, deps),
      deps.config,
    );
  },
});
