import { createAuthService, endSessionsOf } from '../../actors/services/auth/auth.actor.ts';
import { authService } from '../../actors/services/auth/messages.ts';
import { createBundlePublisher } from '../../actors/services/bundles/bundles.actor.ts';
import { createClockService } from '../../actors/services/clock/clock.actor.ts';
import { clockService } from '../../actors/services/clock/messages.ts';
import { createInferenceService } from '../../actors/services/inference/inference.actor.ts';
import { inferenceService } from '../../actors/services/inference/messages.ts';
import { createModelPoller } from '../../actors/services/inference/model-poller.actor.ts';
import { operatorService } from '../../actors/services/operator/messages.ts';
import { createOperatorService } from '../../actors/services/operator/operator.actor.ts';
import { packsService } from '../../actors/services/packs/messages.ts';
import { createPacksService } from '../../actors/services/packs/packs.actor.ts';
import { pinsService } from '../../actors/services/pins/messages.ts';
import { createPinsService } from '../../actors/services/pins/pins.actor.ts';
import { presenceService } from '../../actors/services/presence/messages.ts';
import { createPresenceService } from '../../actors/services/presence/presence.actor.ts';
import { createRetention } from '../../actors/services/retention/retention.actor.ts';
import { serve, type Transact } from '../../actors/services/service-handler.ts';
import { submissionsService } from '../../actors/services/submissions/messages.ts';
import { createSubmissionsService } from '../../actors/services/submissions/submissions.actor.ts';
import {
  deleteWebhook,
  insertWebhook,
  rewindWebhook,
} from '../../actors/services/webhooks/store.ts';
import { createTextArchive } from '../../infra/bundles/archive-text.ts';
import type { Config } from '../../infra/config/config.ts';
import { createEd25519Signer } from '../../infra/crypto/ed25519.ts';
import { uuidV5 } from '../../infra/ids/ids.ts';
import { createProviders } from '../../infra/inference/providers.ts';
import { scratchFolder } from '../../infra/local/scratch-folder.ts';
import type { Bus } from '../../infra/nats/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { createClockStore } from '../../infra/postgres/clock-store.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { configuredPolicy } from '../race-policy.ts';
import { startCredentials } from './credentials.ts';
import { namingOutages } from './naming-outages.ts';
import { sweepsOf } from './sweeps.ts';

/** A pack's thousands of tasks and a suite's megabytes go in with one statement each. */
const statementTimeoutMs = 10_000;

const webhookRegister = { insert: insertWebhook, remove: deleteWebhook, rewind: rewindWebhook };

/** Takes requests of every stateless service until disposed of, and throws away what is outdated. */
export async function startServices(deps: {
  readonly config: Config;
  readonly bus: Bus;
  /** As paddock_service. */
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}): Promise<AsyncDisposable> {
  const { config, bus, sql, objects, clock, log, telemetry } = deps;
  const transact: Transact = (body) => transaction(sql, { statementTimeoutMs }, body);
  const operator = createOperatorService({
    ...{ sql, transact, objects, clock, log, uuidV5, endSessionsOf },
    publish: (message) => bus.messages.publish(message),
    suiteDefaults: {
      qualifyingThresholdMicro: config.qualifyingThresholdMicro,
      requiredSuccessesQualifying: config.requiredSuccessesQualifying,
      requiredSuccessesRace: config.requiredSuccessesRace,
      qualifyingTasks: config.qualifyingTasks,
    },
    configuredPolicy: configuredPolicy(config),
    webhooks: webhookRegister,
  });
  const services = namingOutages(bus.services);
  await using stack = new AsyncDisposableStack();
  const subscriptions = [
    serve(services, authService, createAuthService({ sql, transact })),
    serve(services, inferenceService, createInferenceService({ sql })),
    serve(services, operatorService, operator),
    serve(services, packsService, createPacksService({ sql })),
    serve(services, pinsService, createPinsService({ transact })),
    serve(services, presenceService, createPresenceService({ sql })),
    serve(services, submissionsService, createSubmissionsService({ sql })),
  ];
  if (config.clock === 'simulated') {
    const followers = createClockStore(sql);
    const clockActor = createClockService({ sql, followers, signals: bus.partitions, clock });
    subscriptions.push(serve(services, clockService, clockActor), clockActor);
  }
  for (const subscription of subscriptions) stack.defer(() => subscription.close());
  stack.use(await startCredentials(services, { config, sql, transact, clock, log, telemetry }));
  const poller = modelPoller(deps);
  await poller.start();
  stack.defer(() => poller.stop());
  const retention = createRetention({ sweeps: sweepsOf({ sql, config, clock }), clock, log });
  await retention.start();
  stack.defer(() => retention.stop());
  const signer = createEd25519Signer(config.bundleSigningKey);
  const bundles = createBundlePublisher({
    ...{ sql, objects, signer, clock, log },
    archive: createTextArchive(await scratchFolder(config.processName)),
  });
  await bundles.start();
  stack.defer(() => bundles.stop());
  return stack.move();
}

/** A look at a provider takes less time than its answers may. */
function modelPoller({ config, sql, clock, log }: Parameters<typeof startServices>[0]): Service {
  const { provideraUrl, providerbUrl, provideraModels, providerbModels } = config;
  const timeoutMs = config.inferencePollTimeoutSeconds * 1000;
  return createModelPoller({
    ...{ sql, clock, log },
    providers: createProviders({ provideraUrl, providerbUrl, clock, timeoutMs }),
    allowed: { providera: provideraModels, providerb: providerbModels },
    everyMs: config.inferencePollSeconds * 1000,
  });
}
