import { z } from 'zod';
import { parsedJson } from '../../machines/parsed-json.ts';
import { type InferenceProvider, ProviderUnavailable } from '../ports/inference.ts';
import { acceptedJson, askProvider, type ProviderSite, requireAccepted } from './provider-site.ts';
import { sendCompletion } from './send-completion.ts';
import { askServedModels } from './served-models.ts';

const madeKey = z.object({
  key: z.string().min(1).max(8192),
  hash: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/),
});

const standing = z.object({ data: z.object({ limit_remaining: z.number() }) });

/**
 * A provider whose credential is a management key: it makes keys with a name, an end and a cap on
 * what they may spend, and deletes them by their hash.
 */
export function createProviderB(site: ProviderSite): InferenceProvider {
  return {
    id: 'providerb',
    check: async (credential, signal) => {
      const path = '/v1/key';
      const asked = await askProvider(site, { method: 'GET', path, bearer: credential, signal });
      requireAccepted(asked);
      return credential;
    },
    mint: async (credential, { evalRunId, expiresAtMs, spendLimit }, signal) => {
      const asked = await askProvider(site, {
        ...{ method: 'POST', path: '/v1/keys', bearer: credential, signal },
        json: {
          name: `run-${evalRunId}`,
          limit: spendLimit,
          expires_at: new Date(expiresAtMs).toISOString(),
        },
      });
      const parsed = madeKey.safeParse(acceptedJson(asked));
      if (!parsed.success) {
        throw new ProviderUnavailable('the provider makes no key', { status: asked.status });
      }
      const { key: accessKey, hash: keyId } = parsed.data;
      return { accessKey, keyId, expiresAtMs, nextCredential: undefined };
    },
    revoke: async (credential, { keyId }, signal) => {
      const asked = await askProvider(site, {
        ...{ method: 'DELETE', path: `/v1/keys/${keyId}`, bearer: credential, signal },
      });
      if (asked.status !== 404) requireAccepted(asked);
    },
    isSpent: async (accessKey, signal) => {
      const path = '/v1/key';
      const asked = await askProvider(site, { method: 'GET', path, bearer: accessKey, signal });
      const said = standing.safeParse(parsedJson(asked.text)).data;
      return asked.status === 200 && said !== undefined && said.data.limit_remaining <= 0;
    },
    servedModels: (signal) => askServedModels(site, signal),
    complete: (completion) => sendCompletion(site, completion),
  };
}
