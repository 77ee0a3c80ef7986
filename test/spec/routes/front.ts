import { challenge, deepHealth, health, session, success } from '../answers/session.ts';
import { contract, decision, specification } from '../place.ts';
import { type RouteRows, string } from './route-row.ts';

const open = { auth: 'none' } as const;

/** Health, the description, the session, and what an agent calls with its run's token. */
export const frontRoutes = {
  'SPEC-HEA-01': {
    ...open,
    place: specification('Endpoints, Health'),
    method: 'GET',
    path: '/health',
    answer: health,
  },
  'SPEC-HEA-02': {
    ...open,
    place: specification('Endpoints, Health'),
    method: 'GET',
    path: '/health/deep',
    answer: deepHealth,
  },
  'CON-1-OPENAPI': {
    ...open,
    place: contract('1'),
    method: 'GET',
    path: '/openapi.json',
    answer: 'open',
  },
  'CON-1-DOCS': { ...open, place: contract('1'), method: 'GET', path: '/docs', answer: 'open' },
  'SPEC-AUTH-01': {
    ...open,
    place: specification('Endpoints, Session'),
    method: 'POST',
    path: '/v1/auth/session',
    body: { hotkey: string, challenge: string, signature: string },
    answer: session,
    refusals: ['INVALID_CHALLENGE', 'INVALID_SIGNATURE', 'NOT_REGISTERED', 'RATE_LIMITED'],
  },
  'CON-2-ISSUE_CHALLENGE': {
    ...open,
    place: contract('2'),
    method: 'POST',
    path: '/v1/auth/challenge',
    body: { hotkey: string },
    answer: challenge,
    refusals: ['RATE_LIMITED'],
  },
  'CON-2-END_SESSION': {
    place: contract('2'),
    auth: 'hotkey',
    method: 'POST',
    path: '/v1/auth/logout',
    answer: success,
  },
  'ISS-4-COMPLETIONS': {
    place: decision('0020, inference tokens and proxy'),
    auth: 'run',
    method: 'POST',
    path: '/v1/inference/{provider}/chat/completions',
    params: { provider: { type: 'string', min: 1, max: 32 } },
    answer: 'open',
    refusals: ['MODEL_NOT_ALLOWED', 'PROVIDER_UNAVAILABLE'],
  },
} as const satisfies RouteRows;
