import test from 'ava';
import { type RequestError, TimeoutError } from 'nats';
import { systemClock } from '../../infra/clock/system-clock.ts';
import { OutageWatch } from '../../infra/nats/outage-watch.ts';
import { createPartitionBus } from '../../infra/nats/partition-bus.ts';
import { silentLogger } from '../support/silent-telemetry.ts';
import { Broker } from './broker/broker.ts';
import { BrokerConnection } from './broker/broker-connection.ts';
import { createDurableBus } from './broker/durable-bus.ts';
import { DurableStore } from './broker/durable-store.ts';
import { Kernel } from './kernel/kernel.ts';
import { SimProcess } from './kernel/sim-process.ts';
import { Trace } from './kernel/trace.ts';

function world() {
  const kernel = new Kernel({ seed: 3, startMs: 0, trace: new Trace() });
  const broker = new Broker(kernel);
  const connect = (name: string) => {
    const process = new SimProcess(kernel, name);
    return { process, connection: new BrokerConnection(broker, process) };
  };
  return { kernel, broker, connect };
}

function listen(connection: BrokerConnection, subject: string, heard: string[], queue?: string) {
  const callback = (
    _: Error | null,
    message: { string(): string; respond(text: string): boolean },
  ) => {
    heard.push(message.string());
    message.respond('answer');
  };
  return connection.subscribe(subject, { callback, ...(queue !== undefined && { queue }) });
}

test('a message reaches every subscription, and one of each group', async (t) => {
  const { kernel, connect } = world();
  const plain: string[] = [];
  const grouped: string[] = [];
  for (const name of ['a', 'b']) {
    const { connection } = connect(name);
    listen(connection, 'cmd.>', plain);
    listen(connection, 'cmd.*.1', grouped, 'group');
  }
  await kernel.run({ ms: 10 });
  connect('c').connection.publish('cmd.eval.1', 'hello');
  await kernel.run({ ms: 10 });
  t.deepEqual([plain.length, grouped.length], [2, 1]);
});

test('a request is answered, meets nobody, or waits in vain', async (t) => {
  const { kernel, connect } = world();
  const server = connect('server');
  const { connection } = connect('client');
  const heard: string[] = [];
  listen(server.connection, 'svc.here', heard);
  await kernel.run({ ms: 10 });
  const answers = Promise.allSettled([
    connection.request('svc.here', 'q', { timeout: 100 }),
    connection.request('svc.nowhere', 'q', { timeout: 100 }),
  ]);
  await kernel.run({ ms: 50 });
  const [answered, absent] = await answers;
  t.is(answered.status === 'fulfilled' && answered.value.string(), 'answer');
  t.true(absent.status === 'rejected' && (absent.reason as RequestError).isNoResponders());

  server.process.pause(1_000);
  const silent = t.throwsAsync(connection.request('svc.here', 'q', { timeout: 100 }), {
    instanceOf: TimeoutError,
  });
  await kernel.run({ ms: 200 });
  await silent;
});

test('what was subscribed while the broker died is not brought back with it', async (t) => {
  const { kernel, broker, connect } = world();
  const { connection } = connect('owner');
  const outages = new OutageWatch(connection.asNats(), systemClock);
  const bus = createPartitionBus({ connection: connection.asNats(), outages, log: silentLogger });
  const subscribed = bus.subscribeCommands({ kind: 'eval', part: 1 }, () => undefined);
  broker.die(100);
  const failed = t.throwsAsync(subscribed, { message: 'disconnect' });
  await kernel.run({ ms: 1_000 });
  await failed;

  const asked = connect('edge').connection.request('cmd.eval.1', 'q', { timeout: 100 });
  const absent = t.throwsAsync<RequestError>(asked);
  await kernel.run({ ms: 50 });
  t.true((await absent).isNoResponders());
});

test('a broker that dies, even twice, is found again, and what was said meanwhile is sent', async (t) => {
  const { kernel, broker, connect } = world();
  const heard: string[] = [];
  listen(connect('a').connection, 'news', heard);
  const { connection } = connect('b');
  await kernel.run({ ms: 10 });
  broker.die(100);
  await kernel.run({ ms: 150 });
  broker.die(100);
  connection.publish('news', 'kept');
  const late = connect('late');
  let isOpen = false;
  void late.connection.opened().then(() => {
    isOpen = true;
  });
  await kernel.run({ ms: 20 });
  t.deepEqual([heard, isOpen], [[], false]);
  await kernel.run({ ms: 1_000 });
  t.deepEqual([heard, isOpen], [['kept'], true]);
});

test('a durable message comes until it is acknowledged, and again from a store that was lost', async (t) => {
  const { kernel, broker, connect } = world();
  const store = new DurableStore(broker, { repeats: () => false });
  const { process, connection } = connect('host');
  const bus = createDurableBus({
    broker,
    store,
    connection,
    process,
    sharing: { isTaking: true },
    onPublished: () => undefined,
  });
  const verdicts = ['later', 'done', 'done'] as const;
  const deliveries: number[] = [];
  const source = {
    stream: 'EVT',
    durable: 'd',
    filter: 'evt.>',
    ackWaitMs: 500,
    maxAckPending: 9,
  } as const;
  bus.consume(source, async (delivery) => {
    deliveries.push(delivery.deliveries);
    return verdicts[deliveries.length - 1] ?? 'never';
  });
  const message = { msgId: 'm', subject: 'evt.eval.1.x', headers: {}, body: 1, attempt: 0 };
  void bus.publish(message);
  await kernel.run({ ms: 5_000 });
  t.deepEqual(deliveries, [1, 2]);
  store.wipe();
  await kernel.run({ ms: 5_000 });
  t.deepEqual(deliveries, [1, 2]);
  void bus.publish({ ...message, attempt: 1 });
  await kernel.run({ ms: 5_000 });
  t.deepEqual(deliveries, [1, 2, 1]);
});
