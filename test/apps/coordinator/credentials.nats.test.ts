import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { credentialContext } from '../../../actors/services/credentials/messages.ts';
import type { Transact } from '../../../actors/services/service-handler.ts';
import { startCredentials } from '../../../apps/coordinator/credentials.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { readConfig } from '../../../infra/config/config.ts';
import { createCredentialSeal } from '../../../infra/crypto/credential-seal.ts';
import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createServiceBus } from '../../../infra/nats/service-bus.ts';
import { closeSql, createSql } from '../../../infra/postgres/client.ts';
import { transaction } from '../../../infra/postgres/transaction.ts';
import { privateNats, testDatabase } from '../../support/cluster.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { startStandIns } from '../../support/stand-ins.ts';
import { until } from '../../support/until.ts';

/** The part of a coordinator, at a clock that stands still, and a miner who asks it over a broker. */
async function openCoordinator(t: ExecutionContext) {
  const { sql: admin, url } = await testDatabase(t);
  const { providera, stop } = await startStandIns();
  t.teardown(stop);
  const broker = await privateNats(t);
  const connection = await connectNats({ url: broker.url, name: 'test' });
  t.teardown(() => connection.close());
  const config = readConfig(
    {
      ...{ DATABASE_URL: url, NATS_URL: broker.url, PROVIDERA_URL: providera.url },
      CREDENTIAL_KEYS: `test:${randomBytes(32).toString('base64')}`,
    },
    { process: 'world' },
  );
  const sql = createSql({ url, applicationName: 'credentials', role: 'paddock_service', max: 4 });
  t.teardown(() => closeSql(sql));
  const clock = new ManualClock();
  const told = { log: silentLogger, telemetry: silentTelemetry };
  const transact: Transact = (body) => transaction(sql, {}, body);
  const services = createServiceBus({ connection, clock: systemClock, ...told });
  const part = await startCredentials(services, { config, sql, transact, clock, ...told });
  const seal = createCredentialSeal(config.credentialKeys);
  const sealed = seal.seal(`demo-${randomUUID()}`, credentialContext('alice', 'providera'));
  const body = { hotkey: 'alice', provider: 'providera', sealed, mustExist: false };
  const order = { id: randomUUID(), type: 'connect', account: 'alice', body };
  const bus = createCommandBus({ connection, clock: systemClock, ...told });
  return {
    ...{ admin, providera, clock, part },
    connect: () => bus.call('credentials', order, { budgetMs: 60_000, attemptMs: 60_000 }),
  };
}

// What it asked by may be good for a single use, so that the answer holds the only one that is good.
test('a coordinator that ends hears what a provider was asked, though the miner waits no more', async (t) => {
  const { admin, providera, clock, part, connect } = await openCoordinator(t);
  providera.fail({ kind: 'hang' });
  const order = t.throwsAsync(connect(), { message: /has not answered yet/ });
  await until(() => providera.counts.requests > 0);
  await clock.advance(8_000);
  await order;

  let hasEnded = false;
  const ended = part[Symbol.asyncDispose]().then(() => {
    hasEnded = true;
  });
  // Longer than all else that it ends takes.
  for (let look = 0; look < 10; look++) await admin`select from inference_credential`;
  t.false(hasEnded);
  providera.set({ fault: null });
  await ended;
  t.is((await admin`select from inference_credential`).length, 1);
});
