import { createProjector } from '../../actors/services/projector/projector.actor.ts';
import { createReleases } from '../../actors/services/projector/releases.actor.ts';
import { createWebhooks } from '../../actors/services/webhooks/webhooks.actor.ts';
import type { Config } from '../../infra/config/config.ts';
import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import type { Bus } from '../../infra/nats/bus.ts';
import { createGuardedPost } from '../../infra/outbound/guarded-post.ts';
import type { Clock } from '../../infra/ports/clock.ts';
import type { Service } from '../../infra/ports/lifecycle.ts';
import type { Logger } from '../../infra/ports/log.ts';
import type { PartitionStore } from '../../infra/ports/partition-store.ts';
import type { Sql, Transaction } from '../../infra/ports/sql.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { transaction } from '../../infra/postgres/transaction.ts';

export interface FeedDeps {
  readonly config: Config;
  readonly bus: Bus;
  /** As paddock_service. */
  readonly sql: Sql;
  readonly partitions: PartitionStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** A delivery, a commit and a pause of this process are over by then. */
const leaseTimeouts = 3;

/** Writes the public feed and tells webhooks of it, until disposed of. */
export async function startFeed(deps: FeedDeps): Promise<AsyncDisposable> {
  const { config, bus, sql, clock, log, telemetry } = deps;
  const feed = {
    transact: <T>(body: (tx: Transaction) => Promise<T>) => transaction(sql, {}, body),
    signals: bus.partitions,
    terms: { codePrivateMs: config.codeReleaseSeconds * 1000 },
    log,
  };
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  const services: readonly Service[] = [
    createProjector({ ...feed, sql, telemetry, messages: bus.messages, store: deps.partitions }),
    createReleases({ ...feed, sql, clock }),
    createWebhooks({
      ...{ sql, clock, log, signals: bus.partitions },
      outbound: createGuardedPost({ privateHosts: config.webhookPrivateHosts, clock }),
      seal: createCredentialSeal(config.credentialKeys),
      terms: {
        timeoutMs,
        retryMaxSeconds: config.webhookRetryMaxSeconds,
        leaseMs: leaseTimeouts * timeoutMs,
      },
    }),
  ];
  await using stack = new AsyncDisposableStack();
  for (const service of services) {
    await service.start();
    stack.defer(() => service.stop());
  }
  return stack.move();
}
