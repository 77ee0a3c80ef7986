import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { until } from '../../support/until.ts';
import { startProxy } from './proxy.ts';

/** A server that gives everything back, and a proxy before it. */
async function echoBehindProxy(t: ExecutionContext) {
  const accepted: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startProxy(() => (server.address() as AddressInfo).port);
  t.teardown(async () => {
    await proxy.stop();
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  return { proxy, accepted };
}

interface Client {
  readonly socket: Socket;
  received: string;
  /** `end`, an error's code, or nothing yet. */
  fate: string | undefined;
}

async function clientOf(port: number): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1' });
  const client: Client = { socket, received: '', fate: undefined };
  socket.on('data', (piece: Buffer) => {
    client.received += piece.toString();
  });
  socket.on('end', () => {
    client.fate ??= 'end';
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    client.fate ??= error.code;
  });
  await once(socket, 'connect').catch(() => undefined);
  return client;
}

test('what is sent through a fair proxy comes back, however much it is', async (t) => {
  const { proxy } = await echoBehindProxy(t);
  const client = await clientOf(proxy.port);
  const text = 'paddock'.repeat(300_000);
  client.socket.end(text);
  await until(() => client.fate !== undefined);
  t.is(client.fate, 'end');
  t.true(client.received === text);
});

test('a cut resets both sides of every connection, and the next one works', async (t) => {
  const { proxy, accepted } = await echoBehindProxy(t);
  const client = await clientOf(proxy.port);
  client.socket.write('a');
  await until(() => client.received === 'a');
  proxy.cut();
  await until(() => client.fate !== undefined && accepted[0]?.destroyed === true);
  t.is(client.fate, 'ECONNRESET');
  const next = await clientOf(proxy.port);
  next.socket.write('b');
  await until(() => next.received === 'b');
  next.socket.destroy();
});

test('what is held one way arrives after the fault, and the other way still works', async (t) => {
  const { proxy, accepted } = await echoBehindProxy(t);
  const client = await clientOf(proxy.port);
  client.socket.write('a');
  await until(() => client.received === 'a');
  proxy.hold('up');
  client.socket.write('b');
  accepted[0]?.write('!');
  await until(() => client.received === 'a!');
  proxy.clear();
  await until(() => client.received === 'a!b');
  client.socket.destroy();
  await until(() => proxy.openCount() === 0);
  t.pass();
});

test('a stranded client hears nothing, and its server has lost it', async (t) => {
  const { proxy, accepted } = await echoBehindProxy(t);
  const client = await clientOf(proxy.port);
  client.socket.write('a');
  await until(() => client.received === 'a');
  proxy.strand();
  await until(() => accepted[0]?.destroyed === true);
  client.socket.write('b');
  const other = await clientOf(proxy.port);
  other.socket.write('c');
  await until(() => other.received === 'c');
  t.is(client.received, 'a');
  t.is(client.fate, undefined);
  client.socket.destroy();
  other.socket.destroy();
  await until(() => proxy.openCount() === 0);
});

test('a slow line takes its time until it is cleared', async (t) => {
  const { proxy } = await echoBehindProxy(t);
  const client = await clientOf(proxy.port);
  proxy.delay(100);
  const startedMs = performance.now();
  client.socket.write('a');
  await until(() => client.received === 'a');
  t.true(performance.now() - startedMs >= 195);
  proxy.delay(60_000);
  client.socket.write('b');
  proxy.clear();
  await until(() => client.received === 'ab');
  proxy.throttle(1);
  client.socket.write('c'.repeat(3_600));
  proxy.clear();
  await until(() => client.received.length === 3_602);
  client.socket.destroy();
});

test('a refusing proxy resets who comes', async (t) => {
  const { proxy, accepted } = await echoBehindProxy(t);
  proxy.refuse();
  const client = await clientOf(proxy.port);
  await until(() => client.fate !== undefined);
  t.is(client.fate, 'ECONNRESET');
  t.is(accepted.length, 0);
});
