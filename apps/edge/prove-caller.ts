import type { IncomingMessage } from 'node:http';
import { Fault } from '../../machines/fault.ts';
import { refusal } from '../../machines/refusal.ts';
import type { Caller, Endpoint, Role } from './endpoint.ts';
import { statusByCode } from './faults.ts';
import type { Rates } from './rates/rates.ts';

/** Who calls, and how often they may: taken before the body is read. */
export interface CallerProof {
  /** Each throws RATE_LIMITED. */
  readonly rates: {
    readonly [Rate in 'anonymous' | 'challenge' | 'hotkey' | 'session' | 'unproven']: Pick<
      Rates[Rate],
      'take'
    >;
  };
  /** Proves who calls, of whatever role a key is; throws the 401, 403, 429 or 503 that says why not. */
  readonly authenticate: (request: AuthenticationRequest) => Promise<Caller>;
  readonly remoteAddress: (request: IncomingMessage) => string;
}

export interface AuthenticationRequest {
  readonly headers: IncomingMessage['headers'];
  readonly role: Exclude<Role, 'public'>;
  /** Where it comes from, as limits by address tell it. */
  readonly address: string;
  /** Until when an outage is waited out; undefined where the caller is told of it at once. */
  readonly untilMs: number | undefined;
  /** By a session that the store knew a moment ago, while the store is away for a moment. */
  readonly isHeardInOutage: boolean;
}

const nobody: Caller = {
  name: '',
  role: 'public',
  publicKeyHex: '',
  coldkey: null,
  ownedHotkeys: [],
};

/**
 * Limits by address hold for strangers only: an operator and a proven key are let through whatever
 * goes on behind the same address. Heartbeats and results (class 0) are never counted by address,
 * for a deployed validator drops its work at a 429.
 */
export function proveCaller(
  endpoint: Endpoint,
  request: IncomingMessage,
  by: CallerProof,
  deadlineMs: number,
): Promise<Caller> | Caller {
  const { role } = endpoint;
  if (role !== 'public') return provenCaller({ endpoint, role, request, deadlineMs }, by);
  if (endpoint.ownRate !== undefined) return countedCaller(endpoint.ownRate, request, by);
  const counted = isCounted(endpoint) ? countAnonymous(request, by) : undefined;
  return counted === undefined ? nobody : counted.then(() => nobody);
}

async function countedCaller(
  rate: NonNullable<Endpoint['ownRate']>,
  request: IncomingMessage,
  by: Counting,
): Promise<Caller> {
  await countAnonymous(request, by);
  await by.rates[rate].take(by.remoteAddress(request));
  return nobody;
}

async function provenCaller(
  asked: {
    readonly endpoint: Endpoint;
    readonly role: Exclude<Role, 'public'>;
    readonly request: IncomingMessage;
    readonly deadlineMs: number;
  },
  by: CallerProof,
): Promise<Caller> {
  const { endpoint, role, request, deadlineMs } = asked;
  const { headers } = request;
  const { rates } = by;
  // Deployed clients come back with a completion only after their next evaluation.
  const untilMs = endpoint.budget === 'completion' ? deadlineMs : undefined;
  if (isCounted(endpoint) && isAnonymous(headers)) await countAnonymous(request, by);
  try {
    requireOneAuthorization(request);
    const address = by.remoteAddress(request);
    const isHeardInOutage = endpoint.isHeardInOutage === true;
    const caller = await by.authenticate({ headers, role, address, untilMs, isHeardInOutage });
    if (caller.role === 'miner' || caller.role === 'validator')
      await rates.hotkey.take(caller.name);
    // Only now: on routes that are not counted by address nothing else would count such requests.
    requireRole(role, caller);
    return caller;
  } catch (error) {
    const isFalse = isCounted(endpoint) && !isAnonymous(headers) && isRefusedCredential(error);
    if (isFalse) await rates.unproven.take(by.remoteAddress(request));
    throw error;
  }
}

function requireRole(role: Exclude<Role, 'public'>, caller: Caller): void {
  if (role === 'hotkey' || role === caller.role) return;
  throw refusal('WRONG_ROLE', {
    says: `This route is for ${role}s, and this hotkey is a ${caller.role}.`,
  });
}

function isCounted({ isUnlimited, trafficClass }: Endpoint): boolean {
  return isUnlimited !== true && trafficClass !== 0;
}

/** Node keeps the first of several; what stands in front of us may have looked at the last. */
function requireOneAuthorization({ headers, rawHeaders }: IncomingMessage): void {
  if (headers.authorization === undefined) return;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  if (count === 1) return;
  throw refusal('INVALID_SESSION', {
    says: 'Several Authorization headers came.',
    next: 'Send one.',
  });
}

function countAnonymous(request: IncomingMessage, by: Counting): Promise<void> | undefined {
  return by.rates.anonymous.take(by.remoteAddress(request));
}

/** The same for a request without a route: the refusal, where it is one too many. */
export async function tooOftenAnonymous(
  request: IncomingMessage,
  by: Counting,
): Promise<Fault | undefined> {
  try {
    await countAnonymous(request, by);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

type Counting = Pick<CallerProof, 'rates' | 'remoteAddress'>;

export function isAnonymous(headers: IncomingMessage['headers']): boolean {
  return headers.authorization === undefined && headers['x-hotkey'] === undefined;
}

function isRefusedCredential(error: unknown): boolean {
  return error instanceof Fault && [401, 403].includes(statusByCode[error.code]);
}
