import {
  createAuthService,
  endSessionsOf,
  outdatedIdentity,
} from '../../actors/services/auth/auth.actor.ts';
import { authService } from '../../actors/services/auth/messages.ts';
import { createBundlePublisher } from '../../actors/services/bundles/bundles.actor.ts';
import { createClockService } from '../../actors/services/clock/clock.actor.ts';
import { clockService } from '../../actors/services/clock/messages.ts';
import { operatorService } from '../../actors/services/operator/messages.ts';
import {
  createOperatorService,
  outdatedAnswers,
} from '../../actors/services/operator/operator.actor.ts';
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
import { archiveText } from '../../infra/bundles/archive-text.ts';
import type { Config } from '../../infra/config/config.ts';
import { createEd25519Signer } from '../../infra/crypto/ed25519.ts';
import { uuidV5 } from '../../infra/ids/ids.ts';
import type { Bus } from '../../infra/nats/bus.ts';
import type { ServiceBus } from '../../infra/ports/bus.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { ObjectStore } from '../../infra/ports/object-store.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { createClockStore } from '../../infra/postgres/clock-store.ts';
import { transaction } from '../../infra/postgres/transaction.ts';
import { faultOf } from '../outage.ts';
import { configuredPolicy } from '../race-policy.ts';
import { startCredentials } from './credentials.ts';

/** A pack's thousands of tasks and a suite's megabytes go in with one statement each. */
const statementTimeoutMs = 10_000;

/** Takes requests of every stateless service until disposed of, and throws away what is outdated. */
export async function startServices(deps: {
  readonly config: Config;
  readonly bus: Bus;
  /** As paddock_service. */
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<AsyncDisposable> {
  const { config, bus, sql, objects, clock, log } = deps;
  const transact: Transact = (body) => transaction(sql, { statementTimeoutMs }, body);
  const operator = createOperatorService({
    ...{ transact, objects, log, uuidV5, endSessionsOf },
    publish: (message) => bus.messages.publish(message),
    suiteDefaults: {
      qualifyingThresholdMicro: config.qualifyingThresholdMicro,
      requiredSuccessesQualifying: config.requiredSuccessesQualifying,
      requiredSuccessesRace: config.requiredSuccessesRace,
      qualifyingTasks: config.qualifyingTasks,
    },
    configuredPolicy: configuredPolicy(config),
  });
  const services = namingOutages(bus.services);
  await using stack = new AsyncDisposableStack();
  const subscriptions = [
    serve(services, authService, createAuthService({ sql, transact })),
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
  stack.use(await startCredentials(services, { config, sql, transact, clock, log }));
  const sweeps = [
    outdatedIdentity(sql, config.nonceMemorySeconds),
    outdatedAnswers(sql, config.idempotencySeconds),
  ];
  const retention = createRetention({ sweeps, clock, log });
  await retention.start();
  stack.defer(() => retention.stop());
  const signer = createEd25519Signer(config.bundleSigningKey);
  const bundles = createBundlePublisher({
    ...{ sql, objects, signer, clock, log },
    archive: archiveText,
  });
  await bundles.start();
  stack.defer(() => bundles.stop());
  return stack.move();
}

/** Says that a neighbour is away, so that the asker repeats; else it would hear of a defect. */
function namingOutages(bus: ServiceBus): ServiceBus {
  return {
    serve: (service, handle) =>
      bus.serve(service, async (request) => {
        try {
          return await handle(request);
        } catch (error) {
          const fault = faultOf(error);
          throw fault.code === 'INTERNAL_ERROR' ? error : fault;
        }
      }),
  };
}
