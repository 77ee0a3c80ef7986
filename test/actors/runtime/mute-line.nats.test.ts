import test from 'ava';
import { startProxy } from '../../chaos/net/proxy.ts';
import { eventually, startWorld } from '../../support/runtime-world.ts';

// A line that swallows packets closes no socket: the broker goes on taking the member for there, and
// the member goes on renewing its lease in the database, until the broker asks and hears nothing.

test('who loses the broker by silence alone is stood in for', async (t) => {
  const world = await startWorld(2);
  t.teardown(() => world.stop());
  const line = await startProxy(() => Number(new URL(world.natsUrl).port));
  t.teardown(() => line.stop());
  const natsUrl = `nats://127.0.0.1:${line.port}`;
  // Nothing is handed over to whoever comes.
  const policy = { calmMs: 600_000 };
  const one = await world.host('one', { natsUrl, policy });
  await eventually(
    () => one.host.partitions().length,
    (count) => count === 2,
  );
  const two = await world.host('two', { policy });
  await world.add(0, 'before');

  line.hold('up');
  line.hold('down');
  const served = await eventually(
    () => world.add(0, 'after').catch(() => undefined),
    (reply) => reply !== undefined,
    90_000,
  );

  t.is(served?.value, 1);
  t.true(two.host.partitions().length > 0);
});
