import type { FaultCode } from '../../../machines/fault.ts';
import { type Endpoint, heedsRepeats, type Role } from '../endpoint.ts';

/** Answers that belong to no operation. */
export const generalFaults = ['METHOD_NOT_ALLOWED', 'ROUTE_NOT_FOUND'] as const;

const challengeFaults = ['MISSING_CREDENTIALS', 'INVALID_SESSION'] as const;

/** What proving a hotkey may end in; it reads sessions and bans, and records nonces by command. */
const hotkeyFaults = [
  ...challengeFaults,
  'INVALID_HOTKEY',
  'INVALID_TIMESTAMP',
  'TIMESTAMP_SKEW',
  'INVALID_NONCE',
  'NONCE_REUSED',
  'INVALID_SIGNATURE',
  'NOT_REGISTERED',
  'BANNED',
  'CHAIN_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'OWNER_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'READ_ONLY',
] as const;

const faultsByRole: Readonly<Record<Role, readonly FaultCode[]>> = {
  public: [],
  miner: [...hotkeyFaults, 'WRONG_ROLE'],
  validator: [...hotkeyFaults, 'WRONG_ROLE'],
  hotkey: hotkeyFaults,
  // Compared with the configuration, so no neighbour is asked.
  operator: challengeFaults,
  run: [...challengeFaults, 'STORE_UNAVAILABLE'],
};

/**
 * Every fault that may answer a request to the endpoint: its own, and those that the framework
 * answers for it. The description says these and no others, and test runs hold the edge to it.
 */
export function possibleFaults(endpoint: Endpoint): ReadonlySet<FaultCode> {
  const faults = new Set<FaultCode>([
    ...endpoint.faults,
    ...faultsByRole[endpoint.role],
    'INTERNAL_ERROR',
    'OVERLOADED',
    // Even where nothing is taken, a parameter that comes twice is refused.
    'VALIDATION_FAILED',
  ]);
  if (endpoint.isUnlimited !== true) faults.add('RATE_LIMITED');
  if (endpoint.method !== 'get') faults.add('READ_ONLY');
  if (endpoint.body) faults.add('BODY_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (heedsRepeats(endpoint)) faults.add('IDEMPOTENCY_CONFLICT');
  for (const fault of neighbourFaults(endpoint)) faults.add(fault);
  return faults;
}

function neighbourFaults({ method, path, asks }: Endpoint): readonly FaultCode[] {
  if (!path.startsWith('/v1/')) return [];
  switch (asks ?? (method === 'get' ? 'store' : 'owner')) {
    case 'nobody':
      return [];
    case 'store':
      return ['STORE_UNAVAILABLE'];
    case 'owner':
      return ['STORE_UNAVAILABLE', 'OWNER_UNAVAILABLE', 'OUTCOME_UNKNOWN'];
  }
}
