import { endSessionsOf } from '../../../actors/services/auth/auth.actor.ts';
import { createBundlePublisher } from '../../../actors/services/bundles/bundles.actor.ts';
import { operatorService } from '../../../actors/services/operator/messages.ts';
import { createOperatorService } from '../../../actors/services/operator/operator.actor.ts';
import { pinsService } from '../../../actors/services/pins/messages.ts';
import { createPinsService } from '../../../actors/services/pins/pins.actor.ts';
import { presenceService } from '../../../actors/services/presence/messages.ts';
import { createPresenceService } from '../../../actors/services/presence/presence.actor.ts';
import { createProjector } from '../../../actors/services/projector/projector.actor.ts';
import { createReleases } from '../../../actors/services/projector/releases.actor.ts';
import { serve, type Transact } from '../../../actors/services/service-handler.ts';
import { submissionsService } from '../../../actors/services/submissions/messages.ts';
import { createSubmissionsService } from '../../../actors/services/submissions/submissions.actor.ts';
import {
  deleteWebhook,
  insertWebhook,
  rewindWebhook,
} from '../../../actors/services/webhooks/store.ts';
import { namingOutages } from '../../../apps/coordinator/naming-outages.ts';
import { configuredPolicy } from '../../../apps/race-policy.ts';
import type { Config } from '../../../infra/config/config.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import { uuidV5 } from '../../../infra/ids/ids.ts';
import type { Clock } from '../../../infra/ports/clock.ts';
import type { Logger } from '../../../infra/ports/log.ts';
import type { PartitionStore } from '../../../infra/ports/partition-store.ts';
import type { Sql } from '../../../infra/ports/sql.ts';
import type { Telemetry } from '../../../infra/ports/telemetry.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import type { SimBus, SimWorld } from './sim-world.ts';

export interface SimServicesDeps {
  readonly config: Config;
  readonly bus: SimBus;
  readonly sql: Sql;
  readonly world: SimWorld;
  readonly partitions: PartitionStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/**
 * The services that take part in a race day. The others (credentials, similarity, webhooks) touch no run and no race, and wait for hosts that this world does not have.
 */
export async function startSimServices(deps: SimServicesDeps): Promise<AsyncDisposable> {
  const { config, bus, sql, world, clock, log, telemetry } = deps;
  const transact: Transact = (body) => transaction(sql, {}, body);
  const operator = createOperatorService({
    ...{ sql, transact, objects: world.objects, clock, log, uuidV5, endSessionsOf },
    publish: (message) => bus.messages.publish(message),
    suiteDefaults: {
      qualifyingThresholdMicro: config.qualifyingThresholdMicro,
      requiredSuccessesQualifying: config.requiredSuccessesQualifying,
      requiredSuccessesRace: config.requiredSuccessesRace,
      qualifyingTasks: config.qualifyingTasks,
    },
    configuredPolicy: configuredPolicy(config),
    webhooks: { insert: insertWebhook, remove: deleteWebhook, rewind: rewindWebhook },
  });
  const services = namingOutages(bus.services);
  const subscriptions = [
    serve(services, operatorService, operator),
    serve(services, pinsService, createPinsService({ transact })),
    serve(services, presenceService, createPresenceService({ sql })),
    serve(services, submissionsService, createSubmissionsService({ sql })),
  ];
  const feed = {
    transact,
    signals: bus.partitions,
    terms: { codePrivateMs: config.codeReleaseSeconds * 1000 },
    log,
  };
  const projector = createProjector({
    ...{ ...feed, sql, telemetry, messages: bus.messages, store: deps.partitions },
  });
  const releases = createReleases({ ...feed, sql, clock: patient(clock) });
  const bundles = createBundlePublisher({
    ...{ sql, objects: world.objects, archive: world.objects.archive, log },
    signer: createEd25519Signer(config.bundleSigningKey),
    clock: patient(clock),
  });
  await projector.start();
  await releases.start();
  await bundles.start();
  return {
    [Symbol.asyncDispose]: async () => {
      await bundles.stop();
      await releases.stop();
      await projector.stop();
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
    },
  };
}

/** Looks a tenth as often: each look is real I/O here, and a release is minutes away at least. */
function patient(clock: Clock): Clock {
  return {
    ...clock,
    sleep: (ms, signal) => clock.sleep(10 * ms, signal),
    every: (ms, tick) => clock.every(10 * ms, tick),
  };
}
