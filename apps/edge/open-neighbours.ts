import { createCredentialSeal } from '../../infra/crypto/credential-seal.ts';
import type { HistoryWatch } from '../../infra/history/history-watch.ts';
import { randomHex } from '../../infra/ids/ids.ts';
import { createCommandBus } from '../../infra/nats/command-bus.ts';
import { closeNats, connectNats } from '../../infra/nats/connect.ts';
import { InstallationWatch } from '../../infra/nats/installation.ts';
import { createSignals } from '../../infra/nats/signals.ts';
import type { Sql } from '../../infra/ports/sql.ts';
import { closeSql, createSql } from '../../infra/postgres/client.ts';
import { warnOfMightyLogin } from '../mighty-login.ts';
import { openHistory } from '../open-history.ts';
import { started } from './begun.ts';
import { ClockWatch } from './clock-watch.ts';
import { SealKeyWatch } from './credentials/seal-key-watch.ts';
import type { EdgeOptions } from './edge-options.ts';
import { WriteOutcomes } from './write-outcomes.ts';

/** What an edge may hear; see infra/compose/nats-rights.conf. */
const inboxPrefix = '_INBOX_edge';
/** For what every request of a participant asks first: reads that are slow must not be in its way. */
const callersConnections = 2;
const claimsConnections = 2;

/** The database, over a pool for each purpose. */
export async function openDatabase({ config, log }: EdgeOptions, stack: AsyncDisposableStack) {
  const open = (purpose: string, max: number, isByIndex = false) => {
    const applicationName = `${config.processName} ${purpose}`;
    const pool = { url: config.databaseUrl, max, applicationName, isByIndex };
    return stack.adopt(createSql({ ...pool, role: 'paddock_edge' }), closeSql);
  };
  const sql = open('reads', config.databasePoolSize);
  const callersSql = open('callers', callersConnections);
  const claimsSql = open('claims', claimsConnections, true);
  await warnOfMightyLogin(sql, log);
  return { sql, callersSql, claimsSql };
}

/** For secrets, and whether the keys of this edge are those of the others. */
export async function openSeal(
  { config, clock, log }: EdgeOptions,
  sql: Sql,
  stack: AsyncDisposableStack,
) {
  const seal = createCredentialSeal(config.credentialKeys);
  const sealKeys = await started(new SealKeyWatch({ seal, sql, clock, log }), stack);
  return { seal, sealKeys };
}

/** Whether the database has all that it once had, and goes by the time that this host does. */
export async function openPast(
  { config, clock, log, telemetry }: EdgeOptions,
  sql: Sql,
  stack: AsyncDisposableStack,
) {
  const clockWatch = new ClockWatch({ skewSeconds: config.timestampSkewSeconds, clock, log });
  const onTime: ClockWatch['heard'] = (told) => clockWatch.heard(told);
  const watching = { config, sql, clock, log, telemetry };
  const history = await openHistory({ ...watching, isKeeper: false, onTime });
  stack.defer(() => history.stop());
  return { history, clockWatch, isReadOnly: () => history.lost !== undefined };
}

/** The broker: the way to whoever owns or serves, and whether they are those of this database. */
export async function openBroker(
  { config, clock, log, telemetry }: EdgeOptions,
  history: HistoryWatch,
  stack: AsyncDisposableStack,
) {
  const connection = stack.adopt(
    await connectNats({
      ...{ url: config.natsUrl, name: config.processName, inboxPrefix },
      waiting: { clock, log },
    }),
    closeNats,
  );
  const outcomes = new WriteOutcomes(clock, log);
  const name = `${config.processName}-${randomHex(4)}`;
  const inbox = `${inboxPrefix}.${randomHex(16)}`;
  const bus = outcomes.watched(
    createCommandBus({ connection, clock, telemetry, inbox, genesis: () => history.genesis }),
  );
  const whose = { connection, history, clock, log };
  const installation = await started(new InstallationWatch(whose), stack);
  return { connection, name, bus, outcomes, installation, signals: createSignals(connection) };
}
