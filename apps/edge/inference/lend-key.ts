import { credentialsService, keyContext } from '../../../actors/services/credentials/messages.ts';
import type { ReplyOf } from '../../../actors/services/messages.ts';
import type { CommandBus } from '../../../infra/ports/bus.ts';
import type { Seal } from '../../../infra/ports/seal.ts';
import { askService } from '../ask-service.ts';
import type { KeyWish, LentKey } from './lent-keys.ts';

interface LendDeps {
  readonly bus: CommandBus;
  readonly seal: Seal;
  readonly newId: () => string;
}

type SealedKey = ReplyOf<typeof credentialsService, 'lend-key'>;

/** A provider may take long to make a key, and is not to be asked for two. */
const lendMs = 10_000;

/**
 * The run's key. Most lie ready since the claim: they are looked for first, and an instance that is
 * frozen holds up only what a provider has to make.
 *
 * @throws NOT_CONNECTED, CREDENTIAL_REJECTED, PROVIDER_UNAVAILABLE, INVALID_SESSION
 */
export async function lendKey(wish: KeyWish, deps: LendDeps): Promise<LentKey> {
  const { evalRunId, provider, refused } = wish;
  // What lies ready is most likely the refused one.
  const found = refused === undefined ? await findKey(wish, deps) : null;
  const { keyId, sealedKey, expiresAtMs } = found ?? (await borrowKey(wish, deps));
  const accessKey = deps.seal.open(sealedKey, keyContext(evalRunId, provider));
  return { keyId, accessKey, expiresAtMs };
}

async function findKey(
  { evalRunId, provider }: KeyWish,
  { bus, newId }: LendDeps,
): Promise<SealedKey | null> {
  const { key } = await askService(bus, credentialsService, {
    type: 'find-key',
    body: { evalRunId, provider },
    id: newId(),
    account: 'system',
    budget: { isQuick: true },
  });
  return key;
}

async function borrowKey(
  { evalRunId, provider, refused }: KeyWish,
  { bus, newId }: LendDeps,
): Promise<SealedKey> {
  return await askService(bus, credentialsService, {
    type: 'lend-key',
    body: { evalRunId, provider, refused: refused ?? null },
    id: newId(),
    account: 'system',
    budget: { budgetMs: lendMs, attemptMs: lendMs },
  });
}
