import { endpoint } from '../../endpoint.ts';
import { credentialStatus as statusOf } from '../../reads/credentials.ts';
import { legacyCredentialStatus, toLegacyStatus } from '../../wire/credential-status.ts';
import { legacyCredentialRoutes } from './legacy-credential-routes.ts';

export const showLegacyCredential = endpoint({
  method: 'get',
  path: '/v1/miner/providera-auth/status',
  role: 'miner',
  owner: 'caller',
  summary: 'Show whether providera is connected',
  trafficClass: 2,
  response: legacyCredentialStatus,
  faults: ['STORE_UNAVAILABLE'],
  deprecated: legacyCredentialRoutes,

  async handle({ caller }, { sql }) {
    return toLegacyStatus(await statusOf(sql, caller.name, 'providera'));
  },
});
