import { z } from 'zod';
import { authService } from '../../../../actors/services/auth/messages.ts';
import { decodeHotkey } from '../../../../infra/crypto/ss58.ts';
import { randomHex, sha256Hex } from '../../../../infra/ids/ids.ts';
import type { SignatureVerifier } from '../../../../infra/ports/signatures.ts';
import { Fault } from '../../../../machines/fault.ts';
import { refusal } from '../../../../machines/refusal.ts';
import { askService } from '../../ask-service.ts';
import { readSignature } from '../../auth/signed-headers.ts';
import type { EdgeDeps } from '../../deps.ts';
import { endpoint, type RequestContext } from '../../endpoint.ts';
import { hotkey } from '../../wire/hotkey.ts';

const tokenBytes = 32;
/** What is none of ours is not worth two checks of a signature. */
const challengeText = /^paddock-auth:[0-9]{1,12}:[0-9a-f]{32}$/;

const exchange = z.object({
  hotkey,
  challenge: z.string().max(200),
  signature: z.string().max(200),
});

/**
 * The challenge goes with the first attempt, whatever comes of it, so every refusal that is the
 * caller's own doing consumes it first.
 */
export const openSession = endpoint({
  method: 'post',
  path: '/v1/auth/session',
  role: 'public',
  owner: 'nobody',
  summary: 'Exchange a signed challenge for a session token',
  trafficClass: 1,
  ownRate: 'session',
  body: exchange,
  response: z
    .object({
      session_token: z.string(),
      expires_at: z.number().int(),
      role: z.enum(['miner', 'validator']),
    })
    .meta({ id: 'Session' }),
  faults: [
    'RATE_LIMITED',
    'INVALID_CHALLENGE',
    'INVALID_SIGNATURE',
    'NOT_REGISTERED',
    'BANNED',
    'CHAIN_UNAVAILABLE',
    'STORE_UNAVAILABLE',
    'OWNER_UNAVAILABLE',
    'OUTCOME_UNKNOWN',
  ],

  async handle({ body, context }, deps) {
    const { identity } = deps;
    if (!challengeText.test(body.challenge)) {
      throw refusal('INVALID_CHALLENGE');
    }
    const claimant = { address: context.remoteAddress, hotkey: body.hotkey };
    return await identity.turns.during(claimant, async (isUrgent) => {
      const role = await provenRole(body, isUrgent, deps);
      return await exchanged(body, role, { context, deps });
    });
  },
});

type Exchange = z.output<typeof exchange>;

async function exchanged(
  body: Exchange,
  role: 'miner' | 'validator' | Fault,
  by: { readonly context: RequestContext; readonly deps: EdgeDeps },
) {
  const token = `ses_${randomHex(tokenBytes)}`;
  const lifetimeSeconds = by.deps.config.sessionSeconds;
  const session =
    role instanceof Fault ? null : { tokenSha256: sha256Hex(token), role, lifetimeSeconds };
  const expiresAtMs = await consume(body, session, by);
  if (role instanceof Fault) throw role;
  if (expiresAtMs === null) throw new Error('a session was asked for and not opened');
  return { session_token: token, expires_at: Math.floor(expiresAtMs / 1000), role };
}

async function consume(
  body: Exchange,
  session: { tokenSha256: string; role: 'miner' | 'validator'; lifetimeSeconds: number } | null,
  by: { readonly context: RequestContext; readonly deps: EdgeDeps },
): Promise<number | null> {
  const { expiresAtMs } = await askService(by.deps.bus, authService, {
    type: 'exchange-challenge',
    body: { challengeSha256: sha256Hex(body.challenge), hotkey: body.hotkey, session },
    id: by.context.commandId,
    account: body.hotkey,
  });
  return expiresAtMs;
}

/** The role that the key's holder has, or why this is not the key's holder or has none. */
async function provenRole(
  body: Exchange,
  isUrgent: boolean,
  { identity }: EdgeDeps,
): Promise<'miner' | 'validator' | Fault> {
  const publicKey = decodeHotkey(body.hotkey);
  const signature = readSignature(body.signature);
  const isSigned =
    publicKey !== undefined &&
    signature !== undefined &&
    (await signs(identity.verifier, { text: body.challenge, signature, publicKey, isUrgent }));
  if (!isSigned)
    return refusal('INVALID_SIGNATURE', {
      says: 'The signature is not that of the challenge by this hotkey.',
      next: 'Ask for a new challenge, and sign its very bytes, by sr25519.',
    });
  const standing = await identity.registrations.standing(Buffer.from(publicKey).toString('hex'));
  if (standing !== undefined) return standing.role;
  return refusal('NOT_REGISTERED');
}

/** Browser wallets wrap what they sign; nothing else that we verify comes from one. */
async function signs(
  verifier: SignatureVerifier,
  claim: {
    readonly text: string;
    readonly signature: Uint8Array;
    readonly publicKey: Uint8Array;
    readonly isUrgent: boolean;
  },
): Promise<boolean> {
  const { text, signature, publicKey, isUrgent } = claim;
  if (await verifier.verify(Buffer.from(text), signature, publicKey, { isUrgent })) return true;
  const wrapped = Buffer.from(`<Bytes>${text}</Bytes>`);
  return await verifier.verify(wrapped, signature, publicKey, { isUrgent });
}
