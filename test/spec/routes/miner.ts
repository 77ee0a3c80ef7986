import { z } from 'zod';
import {
  credentialList,
  credentialStatus,
  defaultProvider,
  legacyCredentialStatus,
} from '../answers/inference.ts';
import {
  minerAgents,
  minerVersion,
  raceSelection,
  submission,
  submissionCheck,
} from '../answers/miner.ts';
import { contract, specification } from '../place.ts';
import { type Field, type RouteRows, string, uuid } from './route-row.ts';

const place = specification('Endpoints, Miner');
const spec = { place, auth: 'miner' } as const;
const con = { place: contract('4'), auth: 'miner' } as const;
const provider = { provider: { type: 'string', min: 1, max: 32 } satisfies Field } as const;
const upload = { agent_name: string, file: { type: 'file' } satisfies Field } as const;

/** Specification, Endpoints, Miner, and what contract 4 adds to it. */
export const minerRoutes = {
  'SPEC-MIN-01': {
    ...spec,
    method: 'POST',
    path: '/v1/miner/submit',
    body: upload,
    bodyType: 'multipart/form-data',
    answer: submission,
    isRepeatable: true,
    refusals: [
      'INVALID_AGENT_NAME',
      'FILE_TOO_LARGE',
      'INVALID_FILE',
      'CODE_ANALYSIS_ERROR',
      'COOLDOWN_ACTIVE',
      'NO_ACTIVE_SUITE',
    ],
  },
  'SPEC-MIN-02': { ...spec, method: 'GET', path: '/v1/miner/agents', answer: minerAgents },
  'SPEC-MIN-03': {
    ...spec,
    method: 'GET',
    path: '/v1/miner/inference-auth/{provider}',
    params: provider,
    answer: credentialStatus,
    refusals: ['UNKNOWN_PROVIDER'],
  },
  'SPEC-MIN-04': {
    ...spec,
    method: 'PATCH',
    path: '/v1/miner/inference-auth/default',
    body: { provider: string },
    answer: defaultProvider,
    refusals: ['NOT_CONNECTED'],
  },
  'SPEC-MIN-05': {
    ...spec,
    method: 'POST',
    path: '/v1/miner/inference-auth/{provider}',
    params: provider,
    body: { credential: string },
    answer: credentialStatus,
    refusals: ['UNKNOWN_PROVIDER', 'CREDENTIAL_REJECTED', 'PROVIDER_UNAVAILABLE'],
  },
  'SPEC-MIN-06': {
    ...spec,
    method: 'GET',
    path: '/v1/miner/providera-auth/status',
    answer: legacyCredentialStatus,
    isDeprecated: true,
  },
  'SPEC-MIN-07': {
    ...spec,
    method: 'POST',
    path: '/v1/miner/providera-auth',
    body: { refresh_token: string },
    answer: legacyCredentialStatus,
    isDeprecated: true,
    refusals: ['CREDENTIAL_REJECTED', 'PROVIDER_UNAVAILABLE'],
  },
  'CON-4-PIN': {
    ...con,
    method: 'PUT',
    path: '/v1/miner/race-selection',
    body: { agent_version_id: uuid },
    answer: raceSelection,
    refusals: ['AGENT_VERSION_NOT_FOUND', 'RACE_LOCKED', 'NOT_PINNABLE'],
  },
  'CON-4-UNPIN': {
    ...con,
    method: 'DELETE',
    path: '/v1/miner/race-selection',
    answer: raceSelection,
    refusals: ['RACE_LOCKED'],
  },
  'CON-4-VERSIONS': {
    ...con,
    method: 'GET',
    path: '/v1/miner/agents/{agent_id}/versions',
    params: { agent_id: uuid },
    answer: z.array(minerVersion),
    refusals: ['AGENT_NOT_FOUND'],
  },
  'CON-4-SUBMIT_CHECK': {
    ...con,
    method: 'POST',
    path: '/v1/miner/submit/check',
    body: upload,
    bodyType: 'multipart/form-data',
    answer: submissionCheck,
  },
  'CON-4-CREDENTIAL_LIST': {
    ...con,
    method: 'GET',
    path: '/v1/miner/inference-auth',
    answer: credentialList,
  },
  'CON-4-ROTATE': {
    ...con,
    method: 'POST',
    path: '/v1/miner/inference-auth/{provider}/rotate',
    params: provider,
    body: { credential: string },
    answer: credentialStatus,
    refusals: ['NOT_CONNECTED', 'UNKNOWN_PROVIDER', 'CREDENTIAL_REJECTED', 'PROVIDER_UNAVAILABLE'],
  },
  'CON-4-DISCONNECT': {
    ...con,
    method: 'DELETE',
    path: '/v1/miner/inference-auth/{provider}',
    params: provider,
    answer: credentialStatus,
    refusals: ['NOT_CONNECTED', 'UNKNOWN_PROVIDER'],
  },
} as const satisfies RouteRows;
