import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { startFramework } from '../support/framework.ts';
import { until } from '../support/until.ts';

const beat = endpoint({
  ...{ method: 'post', path: '/beat', role: 'validator', summary: 'Beats', trafficClass: 0 },
  ...{ body: z.looseObject({}), response: z.object({}), faults: [] },
  handle: async () => ({}),
});
const claim = endpoint({
  ...{ method: 'post', path: '/claim', role: 'validator', summary: 'Claims', trafficClass: 1 },
  ...{ body: z.looseObject({}), response: z.object({}), faults: [] },
  handle: async () => ({}),
});
const order = endpoint({
  ...{ method: 'put', path: '/order', role: 'miner', summary: 'Orders', trafficClass: 2 },
  ...{ body: z.looseObject({}), response: z.object({}), faults: [] },
  handle: async () => ({}),
});
const greet = endpoint({
  ...{ method: 'post', path: '/greet', role: 'public', summary: 'Greets', trafficClass: 1 },
  ...{ body: z.looseObject({}), response: z.object({}), faults: [] },
  handle: async () => ({}),
});
const look = endpoint({
  ...{ method: 'get', path: '/look', role: 'public', summary: 'Looks', trafficClass: 2 },
  ...{ response: z.object({}), faults: [] },
  handle: async () => ({}),
});

/** A thousand connections are many for a machine that has other things to do. */
const untilHeard = (holds: () => boolean) => until(holds, 240_000);

async function startEdge(t: ExecutionContext) {
  // Who drips goes on doing so, however long a busy machine takes to hear them all.
  const edge = await startFramework([beat, claim, order, greet, look], {
    limits: { bodyBytesPerSecondMin: 0, headerMs: 600_000 },
    budgetMs: { request: 600_000 },
  });
  t.teardown(() => edge.drain());
  let refused = 0;
  /** Bodies of which one byte comes, each on a connection of its own. */
  const drip = (count: number, [method, path]: readonly [string, string], key: string) => {
    const sockets = Array.from({ length: count }, () => {
      const socket = connect(edge.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('data', (answer) => {
        if (answer.toString().startsWith('HTTP/1.1 503')) refused += 1;
      });
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Hotkey: ${key}\r\nX-Admit: 1\r\n` +
          'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
      );
      return socket;
    });
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
    });
    return sockets;
  };
  const send = async (method: string, path: string, key: string) =>
    await edge.request(method, path, {
      body: '{}',
      headers: { 'content-type': 'application/json', 'x-hotkey': key },
    });
  /** In two pieces, of a length that nobody says. */
  const slow = async (method: string, path: string, key: string) => {
    const body = ReadableStream.from(['{', '}']).pipeThrough(new TextEncoderStream());
    const headers = { 'content-type': 'application/json', 'x-hotkey': key };
    return await edge.request(method, path, { body, headers, duplex: 'half' } as RequestInit);
  };
  return { ...edge, drip, send, slow, refused: () => refused };
}

const targets = [
  ['heartbeats', ['POST', '/beat']],
  ['claims', ['POST', '/claim']],
  ['orders', ['PUT', '/order']],
  ['questions of strangers', ['POST', '/greet']],
] as const;

// Each held a place among all requests for ten seconds: two keys could shed every heartbeat.
for (const [what, target] of targets) {
  test.serial(`${what} that come byte by byte leave the edge to all others`, async (t) => {
    const edge = await startEdge(t);
    edge.drip(600, target, '5One');
    edge.drip(600, target, '5Two');
    await untilHeard(() => edge.refused() + edge.inFlight() === 1200);

    t.true(edge.inFlight() <= 64, String(edge.inFlight()));
    t.is((await edge.get('/look')).status, 200);
    t.is((await edge.send('PUT', '/order', '5Third')).status, 200);
    t.is((await edge.send('POST', '/beat', '5Third')).status, 200);
    t.is((await edge.send('POST', '/beat', '5One')).status, 200, 'a whole body needs no place');
    const others = targets.filter(([, other]) => other !== target);
    for (const [, [method, path]] of others) {
      t.is((await edge.slow(method, path, '5Slow')).status, 200, path);
    }
  });
}

test.serial(
  'who sends slowly is heard beside those who drip, and gives its place back',
  async (t) => {
    const edge = await startEdge(t);
    const crowd = ['5A', '5B', '5C', '5D'].flatMap((key) => edge.drip(100, ['POST', '/beat'], key));
    await untilHeard(() => edge.refused() + edge.inFlight() === 400);
    const slow = () => edge.slow('POST', '/beat', '5Slow');

    t.deepEqual(
      (await Promise.all([slow(), slow()])).map(({ status }) => status),
      [200, 200],
    );
    for (let at = 0; at < 5; at += 1) t.is((await slow()).status, 200);

    for (const socket of crowd) socket.destroy();
    await untilHeard(() => edge.inFlight() === 0);
    t.is((await slow()).status, 200);
  },
);
