import type { Clock } from '../../../infra/ports/clock.ts';
import {
  CredentialRejected,
  type InferenceProvider,
  type ProviderId,
  ProviderUnavailable,
} from '../../../infra/ports/inference.ts';
import type { Service } from '../../../infra/ports/lifecycle.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import { type Seal, SealBroken } from '../../../infra/ports/seal.ts';
import type { Sql, Transaction } from '../../../infra/ports/sql.ts';
import type { Transact } from '../service-handler.ts';
import { type DueKey, endKey, endLoans, postponeKey, takeDueKeys } from './loan-store.ts';
import { credentialContext, keyIdContext } from './messages.ts';
import { deletePastCredentials } from './store.ts';

export interface RevokerDeps {
  readonly sql: Sql;
  readonly transact: Transact;
  readonly providers: ReadonlyMap<ProviderId, InferenceProvider>;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a key may outlive its run while the provider answers. */
const everyMs = 1000;
const batchMax = 32;
const batchesMax = 20;
const delayMaxSeconds = 60;

/**
 * Ends what was lent to runs that are over, and what a miner took back.
 *
 * 1. A key that is to be ended is tried until the provider says so or it has ended by itself; who
 *    tries may die, and several may sweep at once.
 * 2. A provider that does not answer holds up its own keys only.
 */
export function createRevoker(deps: RevokerDeps): Service {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const stops: (() => void)[] = [];
  const repeat = (work: () => Promise<void>) => {
    const tick = () => {
      const tried = work().catch((error) =>
        deps.log.warn('loans could not be ended; the next round tries again', { error }),
      );
      running.add(tried);
      return tried.finally(() => running.delete(tried));
    };
    stops.push(deps.clock.every(everyMs, tick));
  };
  return {
    start: async () => {
      repeat(() => endInTurn(deps));
      for (const provider of deps.providers.values()) {
        repeat(() => revokeDue(provider, deps, stopping.signal));
      }
    },
    stop: async () => {
      for (const stop of stops) stop();
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** One process at a time is enough. */
async function endInTurn({ sql, transact }: RevokerDeps): Promise<void> {
  await transact(async (tx) => {
    if (await isMyTurn(tx)) await endLoans(tx);
  });
  await deletePastCredentials(sql);
}

async function isMyTurn(tx: Transaction): Promise<boolean> {
  const [row] = await tx<{ isMine: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended('inference-loans', 0)) as "isMine"`;
  return row?.isMine === true;
}

async function revokeDue(
  provider: InferenceProvider,
  deps: RevokerDeps,
  signal: AbortSignal,
): Promise<void> {
  for (let batch = 0; batch < batchesMax && !signal.aborted; batch++) {
    const due = await takeDueKeys(deps.sql, provider.id, batchMax);
    await Promise.all(due.map((key) => revoke(key, { provider, deps, signal })));
    if (due.length < batchMax) return;
  }
}

interface By {
  readonly provider: InferenceProvider;
  readonly deps: RevokerDeps;
  readonly signal: AbortSignal;
}

async function revoke(key: DueKey, { provider, deps, signal }: By): Promise<void> {
  const { sql, seal, log } = deps;
  const { keyId, evalRunId, hotkey, sealedCredential } = key;
  if (sealedCredential === null) return await endKey(sql, keyId);
  try {
    const credential = seal.open(sealedCredential, credentialContext(hotkey, provider.id));
    const named = { keyId: seal.open(key.sealedKeyId, keyIdContext(evalRunId, provider.id)) };
    await provider.revoke(credential, named, signal);
  } catch (error) {
    const isUseless = error instanceof CredentialRejected;
    const isUnopened = error instanceof SealBroken;
    if (!isUseless && !isUnopened && !(error instanceof ProviderUnavailable)) throw error;
    log.warn('a key could not be ended at its provider', { provider: provider.id, keyId, error });
    const delaySeconds = isUseless ? null : Math.min(delayMaxSeconds, 2 ** key.failures);
    return await postponeKey(sql, keyId, { delaySeconds, isUnopened });
  }
  await endKey(sql, keyId);
}
