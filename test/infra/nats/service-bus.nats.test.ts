import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createCommandBus } from '../../../infra/nats/command-bus.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { createServiceBus } from '../../../infra/nats/service-bus.ts';
import { testNats } from '../../support/cluster.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';

async function bothSides(t: ExecutionContext) {
  const connection = await connectNats({ url: await testNats(), name: 'test' });
  t.teardown(() => connection.close());
  const deps = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const commands = createCommandBus(deps);
  const name = `service-${randomUUID()}`;
  const call = () =>
    commands.call(name, { id: randomUUID(), type: 'any', body: {}, account: 'tester' });
  const serve = (handle: () => Promise<unknown>) => {
    const served = createServiceBus(deps).serve(name, handle);
    // It would keep this process where the test fails.
    t.teardown(() => void served.close());
    return served;
  };
  return { connection, call, serve };
}

// More than it works on at a time are refused: what is done is no part of that.
test('what a service has answered is under way no more, however much it was', async (t) => {
  const { connection, call, serve } = await bothSides(t);
  const served = serve(async () => 'done');
  await connection.flush();

  for (let round = 0; round < 6; round += 1) {
    const answers = await Promise.all(Array.from({ length: 100 }, call));
    t.deepEqual([...new Set(answers)], ['done']);
  }
  await served.close();
});

test('a service that closes answers what it has begun first', async (t) => {
  const { connection, call, serve } = await bothSides(t);
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isDone = false;
  const served = serve(async () => {
    begun.resolve();
    await goOn.promise;
    isDone = true;
    return 'done';
  });
  await connection.flush();
  const answer = call();
  await begun.promise;
  const closed = served.close().then(() => isDone);
  // The broker has heard that nobody listens there.
  await connection.flush();
  await systemClock.sleep(50);
  goOn.resolve();

  t.true(await closed);
  t.is(await answer, 'done');
});
