import type { ClaimDetails } from '../../../actors/lease-manager/reads.ts';
import { credentialsService, tokenContext } from '../../../actors/services/credentials/messages.ts';
import { askService } from '../ask-service.ts';
import type { EdgeDeps } from '../deps.ts';
import type { RequestContext } from '../endpoint.ts';
import { formatInstant } from '../wire/instant.ts';
import { providerNameOf } from '../wire/provider.ts';

export interface RunToken {
  readonly inference_token: {
    readonly provider: string;
    readonly access_token: string;
    readonly base_url: string;
    readonly expires_at: string;
  } | null;
  /** The same one again, when it is providera's: for older clients. */
  readonly providera_access_token: string | null;
}

const none: RunToken = { inference_token: null, providera_access_token: null };

/** Longer than the service waits for a provider: one attempt is enough. */
const attemptMarginMs = 2_000;

/** What a claim hands out for inference; the same for the same run. */
export async function runToken(
  { evalRunId, mayHaveToken }: Pick<ClaimDetails, 'evalRunId' | 'mayHaveToken'>,
  context: RequestContext,
  deps: EdgeDeps,
): Promise<RunToken> {
  const { bus, seal, config } = deps;
  if (!mayHaveToken) return none;
  const { token } = await askService(bus, credentialsService, {
    type: 'issue-token',
    body: { evalRunId },
    id: context.commandId,
    account: 'system',
    budget: { attemptMs: config.inferenceMintSeconds * 1000 + attemptMarginMs },
  });
  if (token === null) return none;
  const { provider, sealedToken, expiresAtMs } = token;
  const accessToken = seal.open(sealedToken, tokenContext(evalRunId));
  const name = providerNameOf(provider, config);
  return {
    inference_token: {
      provider: name,
      access_token: accessToken,
      base_url: `${publicUrl(context, config.publicUrl)}/v1/inference/${name}`,
      expires_at: formatInstant(expiresAtMs),
    },
    providera_access_token: provider === 'providera' ? accessToken : null,
  };
}

/** A name or an address, and a port: nothing that would end the authority of a URL. */
const plainHost = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** How this edge was reached; agents in a sandbox reach it the same way unless a URL is configured. */
function publicUrl(
  { headers, stream, isSecure }: RequestContext,
  configured: string | undefined,
): string {
  if (configured !== undefined) return configured.replace(/\/+$/, '');
  const { localAddress, localPort } = stream.socket;
  const { host = '' } = headers;
  const reached = plainHost.test(host) ? host : `${localAddress}:${localPort}`;
  // Deployed clients rewrite that name.
  const known = reached.replace(/^localhost(?=:|$)/i, '127.0.0.1');
  return `${isSecure ? 'https' : 'http'}://${known}`;
}
