import test from 'ava';
import { RequestError } from 'nats';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { closeNats, connectNats } from '../../../infra/nats/connect.ts';
import { OutageWatch } from '../../../infra/nats/outage-watch.ts';
import { createPartitionBus } from '../../../infra/nats/partition-bus.ts';
import { Fault } from '../../../machines/fault.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { temporaryNats } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

test('a subscription that failed with its broker does not answer when that is back', async (t) => {
  const first = await temporaryNats();
  const connection = await connectNats({ url: first.url, name: 'owner' });
  t.teardown(() => closeNats(connection));
  const outages = new OutageWatch(connection, systemClock);
  const bus = createPartitionBus({ connection, outages, log: silentLogger });

  // Frozen, it takes the request and confirms nothing; then it dies.
  first.kill('SIGSTOP');
  await until(() =>
    Promise.race([connection.flush().then(() => false), systemClock.sleep(200).then(() => true)]),
  );
  const subscribed = bus.subscribeCommands({ kind: 'test', part: 1 }, (_, exchange) =>
    exchange.answer({ kind: 'moved' }),
  );
  const failed = t.throwsAsync(subscribed, { instanceOf: RequestError });
  first.kill('SIGKILL');
  await failed;
  await first.stop();
  const second = await temporaryNats({ port: first.port });
  t.teardown(() => second.stop());
  await until(() => bus.connected);

  const caller = await connectNats({ url: second.url, name: 'caller' });
  t.teardown(() => closeNats(caller));
  await connection.flush();
  const asked = caller.request('cmd.test.1', '{}', { timeout: 2_000 });
  const error = await t.throwsAsync(asked, { instanceOf: RequestError });
  t.true(error?.isNoResponders());
});

// Nothing may be decided of one database by what is known of another, though both are at one broker for a while.
test('a command of another database is decided by nobody here', async (t) => {
  const broker = await temporaryNats();
  t.teardown(() => broker.stop());
  const connection = await connectNats({ url: broker.url, name: 'owner' });
  t.teardown(() => closeNats(connection));
  const outages = new OutageWatch(connection, systemClock);
  const deps = { connection, log: silentLogger, clock: systemClock, telemetry: silentTelemetry };
  const owner = createPartitionBus({ ...deps, outages, genesis: 'ours' });
  const target = { kind: 'test', part: 1 };
  const decided: string[] = [];
  await owner.subscribeCommands(target, ({ account }, exchange) => {
    decided.push(account);
    exchange.answer({ kind: 'ok', body: 'done' });
  });
  const ask = (account: string, genesis?: string) => {
    const commands = createCommandBus({ ...deps, ...(genesis && { genesis: () => genesis }) });
    const command = { id: account, type: 'add', body: {}, account };
    return commands.command(target, command, { budgetMs: 500 });
  };

  const refused = await t.throwsAsync(ask('theirs', 'other'), { instanceOf: Fault });
  t.is(refused.code, 'OWNER_UNAVAILABLE');
  t.is(await ask('ours', 'ours'), 'done');
  // Versions before do not say.
  t.is(await ask('before'), 'done');
  t.deepEqual(decided, ['ours', 'before']);
});
