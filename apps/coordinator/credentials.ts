import { createConnector } from '../../actors/services/credentials/connector.ts';
import { createCredentialsService } from '../../actors/services/credentials/credentials.actor.ts';
import { createLender } from '../../actors/services/credentials/lender.ts';
import { loanMarginSeconds } from '../../actors/services/credentials/loan-store.ts';
import { credentialsService } from '../../actors/services/credentials/messages.ts';
import { createRevoker } from '../../actors/services/credentials/revoker.ts';
import { createKeyRotation } from '../../actors/services/sealing/key-rotation.actor.ts';
import { serve, type Transact } from '../../actors/services/service-handler.ts';
import type { Config } from '../../infra/config/config.ts';
import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import { randomHex, randomId, sha256Hex } from '../../infra/ids/ids.ts';
import { createProviders } from '../../infra/inference/providers.ts';
import type { ServiceBus } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { sealedPlaces } from './sealed-places.ts';

/** Keeps the miners' credentials, lends runs their keys, ends them, and rotates what all is sealed with. */
export async function startCredentials(
  services: ServiceBus,
  deps: {
    readonly config: Config;
    readonly sql: Sql;
    readonly transact: Transact;
    readonly clock: Clock;
    readonly log: Logger;
    readonly telemetry: Telemetry;
  },
): Promise<AsyncDisposable> {
  const { config, clock } = deps;
  const { provideraUrl, providerbUrl } = config;
  const lending = {
    ...deps,
    providers: createProviders({ provideraUrl, providerbUrl, clock }),
    seal: createCredentialSeal(config.credentialKeys),
    newId: randomId,
    spendLimit: config.inferenceSpendLimit,
    restMs: config.inferenceBreakerSeconds * 1000,
  };
  const lender = createLender(lending);
  const connector = createConnector({ ...lending, hash: sha256Hex });
  const service = createCredentialsService({
    ...{ ...lending, lender, connector, hash: sha256Hex },
    newSecret: () => randomHex(32),
    mintMs: config.inferenceMintSeconds * 1000,
    tokenLifetimeSeconds: config.runLimitSeconds + loanMarginSeconds,
  });
  const revoker = createRevoker(lending);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => lender.settled());
  stack.defer(() => connector.settled());
  await revoker.start();
  stack.defer(() => revoker.stop());
  const rotation = createKeyRotation({ ...lending, places: sealedPlaces });
  await rotation.start();
  stack.defer(() => rotation.stop());
  const requests = serve(services, credentialsService, service);
  stack.defer(() => requests.close());
  return stack.move();
}
