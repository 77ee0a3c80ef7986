import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { DomainTime } from '../../../infra/ports/clock-follower.ts';
import type { SignatureVerifier } from '../../../infra/ports/signatures.ts';
import type { Fault } from '../../../machines/fault.ts';
import { refusal } from '../../../machines/refusal.ts';
import type { Caller } from '../endpoint.ts';
import { patientRead } from '../evaluation/patient-read.ts';
import type { AuthenticationRequest } from '../prove-caller.ts';
import type { SharedRate } from '../rates/shared-rate.ts';
import type { Callers } from './callers.ts';
import type { NonceLedger } from './nonce-ledger.ts';
import type { OperatorTokens } from './operator-tokens.ts';
import type { ProofTurns } from './proof-turns.ts';
import type { Registrations, Standing } from './registrations.ts';
import { readSignedHeaders, type SignedHeaders } from './signed-headers.ts';

export interface AuthenticatorDeps {
  readonly clock: Clock;
  readonly time: Pick<DomainTime, 'nowMs'>;
  readonly skewSeconds: number;
  /** The 32 bytes of a canonical SS58 address with prefix 42; undefined for anything else. */
  readonly decodeHotkey: (text: string) => Uint8Array | undefined;
  readonly verifier: SignatureVerifier;
  readonly turns: ProofTurns;
  /** By proven key. Only looked at here: who asks for the proof takes from it. */
  readonly rate: Pick<SharedRate, 'look'>;
  readonly registrations: Registrations;
  readonly callers: Callers;
  readonly nonces: NonceLedger;
  readonly operators: OperatorTokens;
  /** The live run whose inference token this is. */
  readonly runOf: (token: string) => Promise<string | undefined>;
  /** Told of every proven key, what the chain says of it, and how it was proved. */
  readonly onProven?: (hotkey: string, standing: Standing, scheme: Scheme) => void;
}

/** A signature leaves a nonce behind it; a session is only read. */
type Scheme = 'session' | 'signature';

/**
 * Proves who calls.
 *
 * 1. An Authorization header decides alone; without it the four signed headers do.
 * 2. Cheap checks come before expensive ones, and a forged request burns nothing: a nonce is taken
 *    only after its signature proved true.
 * 3. Registration and ban are looked at on every request, whatever the scheme. The role is told, and not
 *    judged: a key of the wrong role has to be counted first.
 * 4. That a key is banned is told only to who proved to hold it.
 * 5. An outage is waited out step by step, for callers who are not to be turned away. A proof is never
 *    begun again: its nonce may have been taken, and the answer lost.
 * 6. A session that the store knew a moment ago is good for a heartbeat while the store is away.
 * 7. Who is familiar and beyond the limit of the key is told so before anything is checked or written.
 *    That takes nothing from the limit: what is not proved must cost its owner nothing.
 */
export function createAuthenticator(deps: AuthenticatorDeps) {
  return async (request: AuthenticationRequest): Promise<Caller> => {
    const { headers, role } = request;
    if (role === 'operator') return operator(headers, deps);
    if (role === 'run') return await byRunToken(headers, deps);
    if (headers.authorization !== undefined) return await bySession(request, deps);
    return await bySignature(request, deps);
  };
}

function operator(headers: IncomingHttpHeaders, deps: AuthenticatorDeps): Caller {
  if (headers.authorization === undefined) {
    throw refusal('MISSING_CREDENTIALS', {
      next: 'Send Authorization: Bearer with an operator token.',
    });
  }
  const token = bearerTokenOf(headers);
  const name = token === undefined ? undefined : deps.operators.nameOf(token);
  if (name === undefined)
    throw refusal('INVALID_SESSION', {
      says: 'This is no operator token.',
      next: 'Send one of those that the service was started with.',
    });
  return { name, role: 'operator', publicKeyHex: '', coldkey: null, ownedHotkeys: [] };
}

async function byRunToken(headers: IncomingHttpHeaders, deps: AuthenticatorDeps): Promise<Caller> {
  if (headers.authorization === undefined) {
    throw refusal('MISSING_CREDENTIALS', {
      next: 'Send Authorization: Bearer with the token that came with the run.',
    });
  }
  const token = bearerTokenOf(headers);
  const name = token === undefined ? undefined : await deps.runOf(token);
  if (name === undefined) {
    throw refusal('INVALID_SESSION', {
      says: 'This is no token of a live evaluation run.',
      next: 'Send the token that came with the run, and none once it has ended.',
    });
  }
  return { name, role: 'run', publicKeyHex: '', coldkey: null, ownedHotkeys: [] };
}

/** The scheme's name is free in case; one space; nothing after the token. */
export function bearerTokenOf(headers: IncomingHttpHeaders): string | undefined {
  return /^bearer ([^\s]+)$/i.exec(headers.authorization ?? '')?.[1];
}

export const sessionToken = /^ses_[0-9a-f]{64}$/;

async function bySession(
  { headers, untilMs, isHeardInOutage }: AuthenticationRequest,
  deps: AuthenticatorDeps,
): Promise<Caller> {
  const { callers } = deps;
  const token = bearerTokenOf(headers) ?? '';
  // Anything else cannot be one of ours and is not worth a look into the database.
  const hash = sessionToken.test(token) ? callers.hashOf(token) : '';
  const read = () => (isHeardInOutage ? callers.sessionInOutage(hash) : callers.session(hash));
  const session = hash === '' ? undefined : await patiently(read, untilMs, deps);
  if (session === undefined) {
    throw refusal('INVALID_SESSION');
  }
  const publicKey = deps.decodeHotkey(session.hotkey);
  if (publicKey === undefined) throw new Error(`a session holds no hotkey: ${session.hotkey}`);
  const publicKeyHex = Buffer.from(publicKey).toString('hex');
  const { hotkey, isBanned } = session;
  const standing = await deps.registrations.standing(publicKeyHex);
  callers.noteProof(hash, standing !== undefined && !isBanned);
  return admit({ hotkey, publicKeyHex }, { standing, isBanned, scheme: 'session', deps });
}

async function bySignature(
  { headers, address, untilMs }: AuthenticationRequest,
  deps: AuthenticatorDeps,
): Promise<Caller> {
  const { skewSeconds, decodeHotkey, time } = deps;
  const signed = readSignedHeaders(headers, { nowMs: time.nowMs(), skewSeconds, decodeHotkey });
  if (deps.registrations.isKnownAbsent(signed.publicKeyHex)) throw notRegistered();
  const claimant = { address, hotkey: signed.hotkey };
  if (deps.turns.isFamiliar(claimant)) deps.rate.look(signed.hotkey);
  const standing = await deps.turns.during(claimant, async (isFamiliar) => {
    const proven = await provenStanding(signed, { isUrgent: isFamiliar, untilMs }, deps);
    // A ban is told to who proved the key, and makes a stranger of it.
    const isBanned = () => deps.callers.isBanned(signed.hotkey);
    if (await patiently(isBanned, untilMs, deps)) throw banned();
    return proven;
  });
  return admit(signed, { standing, isBanned: false, scheme: 'signature', deps });
}

async function provenStanding(
  signed: SignedHeaders,
  { isUrgent, untilMs }: { readonly isUrgent: boolean; readonly untilMs: number | undefined },
  deps: AuthenticatorDeps,
): Promise<Standing> {
  const { message, signature, publicKey, publicKeyHex, hotkey, nonce } = signed;
  if (!(await deps.verifier.verify(message, signature, publicKey, { isUrgent }))) {
    throw refusal('INVALID_SIGNATURE', {
      says: 'X-Signature is not that of {hotkey}:{timestamp}:{nonce} by this hotkey.',
    });
  }
  if (!(await deps.nonces.take({ hotkey, nonce, untilMs }))) {
    throw refusal('NONCE_REUSED');
  }
  const standing = await deps.registrations.standing(publicKeyHex);
  if (standing === undefined) throw notRegistered();
  return standing;
}

function patiently<T>(
  read: () => Promise<T>,
  untilMs: number | undefined,
  { clock }: AuthenticatorDeps,
): Promise<T> {
  return untilMs === undefined ? read() : patientRead(read, { untilMs, clock });
}

function admit(
  key: { readonly hotkey: string; readonly publicKeyHex: string },
  known: {
    readonly standing: Standing | undefined;
    readonly isBanned: boolean;
    readonly scheme: Scheme;
    readonly deps: AuthenticatorDeps;
  },
): Caller {
  const { standing, isBanned, scheme, deps } = known;
  if (standing === undefined) throw notRegistered();
  if (isBanned) throw banned();
  deps.onProven?.(key.hotkey, standing, scheme);
  const { hotkey: name, publicKeyHex } = key;
  const { role, coldkey, ownedHotkeys } = standing;
  return { name, role, publicKeyHex, coldkey, ownedHotkeys };
}

function notRegistered(): Fault {
  return refusal('NOT_REGISTERED');
}

function banned(): Fault {
  return refusal('BANNED');
}
