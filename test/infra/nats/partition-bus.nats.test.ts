import test from 'ava';
import { RequestError } from 'nats';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { closeNats, connectNats } from '../../../infra/nats/connect.ts';
import { OutageWatch } from '../../../infra/nats/outage-watch.ts';
import { createPartitionBus } from '../../../infra/nats/partition-bus.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
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
