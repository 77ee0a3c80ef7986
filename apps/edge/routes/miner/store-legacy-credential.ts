import { z } from 'zod';
import { connectProvider as connect, connectFaults } from '../../credentials/connect-provider.ts';
import { endpoint } from '../../endpoint.ts';
import {
  credentialText,
  legacyCredentialStatus,
  toLegacyStatus,
} from '../../wire/credential-status.ts';
import { legacyCredentialRoutes } from './legacy-credential-routes.ts';

export const storeLegacyCredential = endpoint({
  method: 'post',
  path: '/v1/miner/providera-auth',
  role: 'miner',
  owner: 'caller',
  summary: "Store providera's credential",
  trafficClass: 1,
  body: z.object({ refresh_token: credentialText }),
  response: legacyCredentialStatus,
  faults: connectFaults,
  deprecated: legacyCredentialRoutes,

  async handle({ caller, body, context }, deps) {
    const asked = {
      ...({ provider: 'providera', mustExist: false } as const),
      credential: body.refresh_token,
    };
    return toLegacyStatus(await connect(asked, { caller, context }, deps));
  },
});
