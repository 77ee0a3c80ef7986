import { z } from 'zod';
import { parsedJson } from '../../machines/parsed-json.ts';
import { type InferenceProvider, ProviderUnavailable } from '../ports/inference.ts';
import {
  acceptedJson,
  askProvider,
  type ProviderAnswer,
  type ProviderSite,
  refusesCredential,
  requireAccepted,
} from './provider-site.ts';
import { sendCompletion } from './send-completion.ts';
import { askServedModels } from './served-models.ts';

const grant = z.object({
  access_token: z.string().min(1).max(8192),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).max(8192).optional(),
});

const oauthError = z.object({ error: z.string() });

/**
 * A provider that authorises by OAuth 2: the miner's credential is a refresh token, the key lent to a
 * run an access token. It knows no caps, and its refresh tokens may be good for one use only.
 */
export function createProviderA(site: ProviderSite): InferenceProvider {
  async function refresh(credential: string, signal: AbortSignal | undefined) {
    const form = { grant_type: 'refresh_token', refresh_token: credential };
    const asked = await askProvider(site, { method: 'POST', path: '/oauth/token', form, signal });
    const parsed = grant.safeParse(acceptedJson(asked, refusesGrant));
    if (!parsed.success) {
      throw new ProviderUnavailable('the provider grants no access token', {
        status: asked.status,
      });
    }
    return parsed.data;
  }

  async function revoke(accessToken: string, signal: AbortSignal | undefined): Promise<void> {
    const form = { token: accessToken, token_type_hint: 'access_token' };
    const asked = await askProvider(site, { method: 'POST', path: '/oauth/revoke', form, signal });
    // RFC 7009: a token that is not known any more is 200 as well. No credential goes with it that could be
    // refused: what is, is who asks.
    requireAccepted(asked, () => false);
  }

  return {
    id: 'providera',
    check: async (credential, signal) => {
      const granted = await refresh(credential, signal);
      // Nobody needs what the check got, and nobody waits for its end: what is to be kept is to be stored, for the
      // given one is worth nothing by now. Where this fails, it ends by itself.
      void revoke(granted.access_token, undefined).catch(() => undefined);
      return granted.refresh_token ?? credential;
    },
    mint: async (credential, { expiresAtMs }, signal) => {
      const askedAtMs = site.clock.nowMs();
      const granted = await refresh(credential, signal);
      return {
        accessKey: granted.access_token,
        keyId: granted.access_token,
        expiresAtMs: Math.min(expiresAtMs, askedAtMs + Math.floor(granted.expires_in * 1000)),
        nextCredential: granted.refresh_token === credential ? undefined : granted.refresh_token,
      };
    },
    revoke: async (_credential, { keyId }, signal) => await revoke(keyId, signal),
    isSpent: async () => false,
    servedModels: (signal) => askServedModels(site, signal),
    complete: (completion) => sendCompletion(site, completion),
  };
}

/** RFC 6749, 5.2: one error alone is of the refresh token; the others are of who asks, and how. */
function refusesGrant(answer: ProviderAnswer): boolean {
  const said = oauthError.safeParse(parsedJson(answer.text)).data?.error;
  if (answer.status === 400) return said === 'invalid_grant';
  return refusesCredential(answer) && said !== 'invalid_client';
}
