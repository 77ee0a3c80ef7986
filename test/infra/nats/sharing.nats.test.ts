import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { closeNats, connectNats } from '../../../infra/nats/connect.ts';
import { createServiceBus } from '../../../infra/nats/service-bus.ts';
import { Sharing } from '../../../infra/nats/sharing.ts';
import { Fault } from '../../../machines/fault.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { temporaryNats } from '../../support/temporary-servers.ts';
import { until } from '../../support/until.ts';

/** Two processes that serve the same, and somebody who asks. */
async function service(t: ExecutionContext) {
  const nats = await temporaryNats();
  t.teardown(() => nats.stop());
  const connect = async (name: string) => {
    const connection = await connectNats({ url: nats.url, name });
    t.teardown(() => closeNats(connection));
    return { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  };
  const heard: string[] = [];
  const instance = async (name: string) => {
    const deps = await connect(name);
    const sharing = new Sharing(deps);
    const served = createServiceBus({ ...deps, sharing }).serve('echo', async () => {
      heard.push(name);
      return name;
    });
    t.teardown(() => served.close());
    await deps.connection.flush();
    return sharing;
  };
  const [one, two] = [await instance('one'), await instance('two')];
  const caller = createCommandBus(await connect('caller'));
  const ask = () =>
    caller.call('echo', { id: randomUUID(), type: 'say', body: {}, account: 'tester' });
  return { one, two, ask, heard };
}

test('who is cut off alone leaves every request to the others', async (t) => {
  const { one, two, ask, heard } = await service(t);
  one.leave();
  await until(() => one.isAway);
  t.true(two.isTaking);
  const answers = await Promise.all(Array.from({ length: 30 }, ask));
  t.deepEqual(new Set(answers), new Set(['two']));
  t.is(heard.length, 30);

  one.take();
  await until(async () => (await ask()) === 'one');
});

// Before another one is heard as well: refused at once, a request is repeated and meets that one.
test('a request that meets who is cut off is answered by another one', async (t) => {
  const { one, ask, heard } = await service(t);
  one.leave();
  t.deepEqual(new Set(await Promise.all(Array.from({ length: 10 }, ask))), new Set(['two']));
  t.false(heard.includes('one'));
});

test('where all are cut off callers hear of it, and wait for nobody', async (t) => {
  const { one, two, ask, heard } = await service(t);
  one.leave();
  await until(() => one.isAway);
  two.leave();
  await until(() => !one.isAway);
  const startedMs = systemClock.monotonicMs();

  const fault = await t.throwsAsync(ask(), { instanceOf: Fault });

  t.is(fault.code, 'STORE_UNAVAILABLE');
  t.true(systemClock.monotonicMs() - startedMs < 6_000);
  t.deepEqual(heard, []);
  t.false(two.isAway);
});
