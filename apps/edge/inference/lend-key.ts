import { credentialsService, keyContext } from '../../../actors/services/credentials/messages.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Seal } from '../../../infra/ports/seal.ts';
import { askService } from '../ask-service.ts';
import type { KeyWish, LentKey } from './lent-keys.ts';

/** A provider may take long to make a key, and is not to be asked for two. */
const lendMs = 10_000;

/** @throws NOT_CONNECTED, CREDENTIAL_REJECTED, PROVIDER_UNAVAILABLE, INVALID_SESSION */
export async function lendKey(
  { evalRunId, provider, refused }: KeyWish,
  deps: { readonly bus: CommandBus; readonly seal: Seal; readonly newId: () => string },
): Promise<LentKey> {
  const { keyId, sealedKey, expiresAtMs } = await askService(deps.bus, credentialsService, {
    type: 'lend-key',
    body: { evalRunId, provider, refused: refused ?? null },
    id: deps.newId(),
    account: 'system',
    budget: { budgetMs: lendMs, attemptMs: lendMs },
  });
  const accessKey = deps.seal.open(sealedKey, keyContext(evalRunId, provider));
  return { keyId, accessKey, expiresAtMs };
}
