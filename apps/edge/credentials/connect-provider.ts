import {
  credentialContext,
  credentialsService,
} from '../../../actors/services/credentials/messages.ts';
import type { ProviderId } from '../../../infra/ports/inference.ts';
import { askService } from '../ask-service.ts';
import type { EdgeDeps } from '../deps.ts';
import type { Caller, RequestContext } from '../endpoint.ts';
import type { StatusFields } from '../wire/credential-status.ts';

/** The provider is asked within one attempt: a second one could but wait for what the first one hears. */
const once = { attemptMs: 9_500 };

/** Has a credential checked and stored; it crosses the bus sealed. Refusals are Faults. */
export async function connectProvider(
  asked: {
    readonly provider: ProviderId;
    readonly credential: string;
    /** Only in the place of one that is stored. */
    readonly mustExist: boolean;
  },
  { caller, context }: { readonly caller: Caller; readonly context: RequestContext },
  { bus, seal }: Pick<EdgeDeps, 'bus' | 'seal'>,
): Promise<StatusFields> {
  const { provider, credential, mustExist } = asked;
  const sealed = seal.seal(credential, credentialContext(caller.name, provider));
  const { connected, updatedAtMs } = await askService(bus, credentialsService, {
    type: 'connect',
    body: { hotkey: caller.name, provider, sealed, mustExist },
    id: context.commandId,
    account: caller.name,
    budget: once,
  });
  return { isConnected: connected, updatedAt: updatedAtMs };
}

/** How storing a credential may be refused. */
export const connectFaults = [
  'CREDENTIAL_REJECTED',
  'OUTCOME_UNKNOWN',
  'PROVIDER_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'UNKNOWN_PROVIDER',
] as const;
