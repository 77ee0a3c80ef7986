import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  jetstreamManager,
} from '@nats-io/jetstream';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createBus } from '../../../infra/nats/bus.ts';
import { connectNats } from '../../../infra/nats/connect.ts';
import { ensureStreams, prepareStreams } from '../../../infra/nats/streams.ts';
import type { ConsumerSource } from '../../../infra/ports/bus.ts';
import { privateNats } from '../../support/cluster.ts';
import { silentLogger, silentTelemetry } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

// What a version of Paddock wants of a consumer may differ from what the one before made.

const streams = { replicas: 1 };
const source: ConsumerSource = {
  stream: 'EVT',
  durable: 'evt-eval-1',
  filter: 'evt.eval.1.>',
  ackWaitMs: 30_000,
  maxAckPending: 256,
};
const asBefore = {
  durable_name: source.durable,
  filter_subject: 'evt.eval.>',
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: 5_000_000_000,
  max_ack_pending: 9,
  max_deliver: 3,
};

async function broker(t: ExecutionContext) {
  const { url } = await privateNats(t);
  const connection = await connectNats({ url, name: 'test' });
  t.teardown(() => connection.close());
  await ensureStreams(connection, streams);
  return { connection, manager: await jetstreamManager(connection) };
}

async function settingsOf(manager: JetStreamManager) {
  const { config } = await manager.consumers.info(source.stream, source.durable);
  return config;
}

test('a consumer of another version is changed, and goes on where it was', async (t) => {
  const { connection, manager } = await broker(t);
  await manager.consumers.add(source.stream, asBefore);
  const common = { clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const { messages } = await createBus({ connection, streams, ...common });
  const publish = (msgId: string) =>
    messages.publish({ msgId, subject: 'evt.eval.1.told', headers: {}, body: {}, attempt: 0 });
  await publish('taken');
  const before = await manager.consumers.info(source.stream, source.durable);
  t.is(before.num_pending, 1);

  const heard: string[] = [];
  const subscription = messages.consume(source, async ({ msgId }) => {
    heard.push(msgId);
    return 'done';
  });
  t.teardown(() => subscription.close());

  await until(() => heard.length === 1);
  const { ack_wait, filter_subject, max_ack_pending, max_deliver } = await settingsOf(manager);
  t.deepEqual(
    { ack_wait, filter_subject, max_ack_pending, max_deliver },
    {
      ack_wait: 30_000_000_000,
      filter_subject: source.filter,
      max_ack_pending: 256,
      max_deliver: -1,
    },
  );
});

test('a consumer that cannot be as wanted stops the start, and says what to do', async (t) => {
  const { connection, manager } = await broker(t);
  await manager.consumers.add(source.stream, asBefore);
  await t.notThrowsAsync(prepareStreams(connection, streams, silentLogger));
  await manager.consumers.delete(source.stream, source.durable);
  await manager.consumers.add(source.stream, { ...asBefore, deliver_policy: DeliverPolicy.New });
  await manager.consumers.add('FACT', {
    ...{ durable_name: 'of-somebody-else', ack_policy: AckPolicy.None },
    deliver_policy: DeliverPolicy.New,
  });

  await t.throwsAsync(prepareStreams(connection, streams, silentLogger), {
    message: /^consumer evt-eval-1 of EVT: deliver_policy is "new", not "all".*delete it/,
  });
});

test('a consumer that was made otherwise since then is not read from', async (t) => {
  const { connection, manager } = await broker(t);
  const other = { ...asBefore, deliver_policy: DeliverPolicy.New };
  await manager.consumers.add(source.stream, other);
  const said: unknown[] = [];
  const log = {
    ...silentLogger,
    warn: (_: string, fields?: object) => void said.push(fields),
  };
  const common = { clock: systemClock, log, telemetry: silentTelemetry };
  const { messages } = await createBus({ connection, streams, ...common });
  const subscription = messages.consume(source, async () => 'done');
  t.teardown(() => subscription.close());

  await until(() => said.length > 0);
  t.like(said[0], { durable: source.durable });
  t.regex(String((said[0] as { error?: unknown }).error), /deliver_policy is "new", not "all"/);
});

test('a message of another database is taken and forgotten; one that names none is handled', async (t) => {
  const { connection } = await broker(t);
  const common = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const [ours, others, before] = await Promise.all([
    createBus({ ...common, streams: { ...streams, genesis: 'ours' } }),
    // As one that runs on a broker which was replaced under it.
    createBus({ ...common, streams: { ...streams, genesis: 'other' } }),
    createBus({ ...common, streams }),
  ]);
  const heard: string[] = [];
  const subscription = ours.messages.consume(source, async ({ msgId }) => {
    heard.push(msgId);
    return 'done';
  });
  t.teardown(() => subscription.close());
  const sent = (msgId: string) => ({
    ...{ msgId, subject: 'evt.eval.1.x', attempt: 0, body: {} },
    headers: { 'x-kind': 'eval', 'x-part': '1' },
  });

  await others.messages.publish(sent('other'));
  await before.messages.publish(sent('before'));
  await ours.messages.publish(sent('ours'));

  await until(async () => heard.includes('ours'));
  t.deepEqual(heard, ['before', 'ours']);
});

// Coordinators learn of a new branch one after the other: what the first of them sends, the others must not forget.
test('a message of a lost branch is taken and forgotten; one of a later branch is handled', async (t) => {
  const { connection } = await broker(t);
  const common = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const [lost, ours, later] = await Promise.all(
    [0, 1, 2].map((branch) => createBus({ ...common, streams, branch })),
  );
  const heard: string[] = [];
  const subscription = ours?.messages.consume(source, async ({ msgId }) => {
    heard.push(msgId);
    return 'done';
  });
  t.teardown(() => subscription?.close());
  const sent = (msgId: string) => ({
    ...{ msgId, subject: 'evt.eval.1.x', attempt: 0, body: {}, headers: {} },
  });

  await lost?.messages.publish(sent('lost'));
  await later?.messages.publish(sent('later'));
  // Under the id of one that was lost with its branch: a broker must not take it for a repeat.
  await ours?.messages.publish(sent('lost'));

  await until(async () => heard.length === 2);
  t.deepEqual(heard, ['later', 'lost']);
});

// At once, twenty tries would pass within the moment in which a database is away, and the message be set aside.
test('what cannot be handled now comes back after a while, and what is under way is waited for', async (t) => {
  const { connection } = await broker(t);
  const common = { connection, clock: systemClock, log: silentLogger, telemetry: silentTelemetry };
  const { messages } = await createBus({ ...common, streams });
  const deliveredMs: number[] = [];
  const goOn = Promise.withResolvers<void>();
  let isDone = false;
  const subscription = messages.consume(source, async () => {
    deliveredMs.push(performance.now());
    if (deliveredMs.length < 3) return 'later';
    await goOn.promise;
    isDone = true;
    return 'done';
  });
  await messages.publish({
    ...{ msgId: 'a', subject: 'evt.eval.1.x', attempt: 0, body: {}, headers: {} },
  });
  await until(() => deliveredMs.length === 3);
  const closed = subscription.close().then(() => isDone);
  await systemClock.sleep(100);
  goOn.resolve();

  t.true(await closed);
  const [first = 0, second = 0, third = 0] = deliveredMs;
  t.true(second - first >= 900, `${second - first}`);
  t.true(third - second >= 1_900, `${third - second}`);
});
