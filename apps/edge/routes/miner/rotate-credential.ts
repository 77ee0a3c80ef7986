import { z } from 'zod';
import { connectProvider as connect, connectFaults } from '../../credentials/connect-provider.ts';
import { endpoint } from '../../endpoint.ts';
import {
  credentialStatus,
  credentialText,
  toCredentialStatus,
} from '../../wire/credential-status.ts';
import { providerInPath, providerName } from '../../wire/provider.ts';

export const rotateCredential = endpoint({
  method: 'post',
  path: '/v1/miner/inference-auth/{provider}/rotate',
  role: 'miner',
  owner: 'caller',
  summary:
    'Put another credential in the place of the stored one; live runs keep what was lent to them',
  trafficClass: 1,
  params: z.object({ provider: providerName }),
  body: z.object({ credential: credentialText }),
  response: credentialStatus,
  faults: ['NOT_CONNECTED', ...connectFaults],

  async handle({ caller, params, body, context }, deps) {
    const provider = providerInPath(params.provider, deps.config);
    const asked = { provider, credential: body.credential, mustExist: true };
    return toCredentialStatus(
      provider,
      await connect(asked, { caller, context }, deps),
      deps.config,
    );
  },
});
