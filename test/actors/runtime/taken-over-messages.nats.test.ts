import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { jetstreamManager } from '@nats-io/jetstream';
import test, { type ExecutionContext } from 'ava';
import { eventually, startWorld, type World } from '../../support/runtime-world.ts';

const partitions = 8;
// The broker gives a message to another only when this is over, and the sweeper is no sooner.
const policy = { ackWaitMs: 600_000, sweepAfterMs: 600_000 };
// Nobody takes over before the test says so.
const victimPolicy = { ...policy, leaseMs: 600_000 };

test('what a killed owner was given reaches its heir with the takeover', async (t) => {
  const { world, victim, part } = await openWithVictim(t);
  const taken = async () => {
    const [row] = await world.sql<{ additions: number }[]>`
      select additions from test_counter where part = ${part} and key = 'mail'`;
    return row?.additions ?? 0;
  };
  await tell(world, part);
  await eventually(taken, (count) => count === 1);
  const isUnacknowledged = (count: number) => async () =>
    (await unacknowledged(world, part)) === count;
  await eventually(isUnacknowledged(0), Boolean);
  // Still, so that it is given them and acknowledges none.
  victim.kill('SIGSTOP');
  await Promise.all(Array.from({ length: 3 }, () => tell(world, part)));
  await eventually(isUnacknowledged(3), Boolean);
  t.is(await taken(), 1);
  victim.kill('SIGKILL');
  await world.sql`update rt.member set lease_until = rt.wall_clock() where member_id = 'victim'`;

  t.is(await eventually(taken, (count) => count === 4), 4);
});

/** One of two hosts, in a process of its own; no start makes any message due that comes later. */
async function openWithVictim(t: ExecutionContext) {
  const world = await startWorld(partitions);
  t.teardown(() => world.stop());
  await world.host('heir', { policy });
  const script = new URL('../../support/counter-process.ts', import.meta.url);
  const { databaseUrl, natsUrl } = world;
  const setup = JSON.stringify({ memberId: 'victim', databaseUrl, natsUrl, policy: victimPolicy });
  const victim: ChildProcess = fork(script, [setup], { execArgv: [] });
  t.teardown(() => victim.kill('SIGKILL'));
  await once(victim, 'message');
  const part = await eventually(
    async () => (await world.owners()).indexOf('victim'),
    (found) => found >= 0,
  );
  return { world, victim, part };
}

async function unacknowledged({ connection }: World, part: number): Promise<number> {
  const { consumers } = await jetstreamManager(connection);
  return (await consumers.info('EVT', `evt-counter-${part}`)).num_ack_pending;
}

/** As a partition of another kind would, which nobody takes over. */
async function tell(world: World, part: number): Promise<void> {
  const msgId = randomUUID();
  const message = {
    ...{ msgId, subject: `evt.counter.${part}.add`, body: { key: 'mail', by: 1 } },
    headers: { 'x-kind': 'eval', 'x-part': '0', 'x-account': 'tester' },
  };
  await world.sql`
    insert into rt.outbox (kind, part, msg_id, subject, target_kind, target_part, target_consumer,
                           headers, body, at, next_at)
    values ('eval', 0, ${msgId}, ${message.subject}, 'counter', ${part}, 'evt',
            ${world.sql.json(message.headers)}, ${world.sql.json(message.body)}, rt.clock(),
            rt.clock() + interval '10 minutes')`;
  await world.edge.messages.publish({ ...message, attempt: 0 });
}
