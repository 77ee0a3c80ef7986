import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { Logger } from '../../infra/ports/log.ts';
import type { Telemetry } from '../../infra/ports/telemetry.ts';
import { startTestService, type TestService } from '../support/edge.ts';
import type { TestKey } from '../support/edge-client.ts';
import { claim, resultsPath, submit } from '../support/evaluation-client.ts';
import { silentLogger, silentTelemetry } from '../support/silent-telemetry.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { until } from '../support/until.ts';

let inFlight: () => number | undefined = () => Number.NaN;
/** Requests that got as far as a route and are over, however they ended. */
let over = 0;
const failures: string[] = [];

const telemetry: Telemetry = {
  ...silentTelemetry,
  gauge(name, read) {
    if (name === 'paddock.edge.in_flight') inFlight = read;
    return () => undefined;
  },
  record(name) {
    if (name === 'paddock.edge.request.duration') over += 1;
  },
};
const log: Logger = {
  ...silentLogger,
  error: (message, fields) => failures.push(`${message} ${JSON.stringify(fields)}`),
  with: () => log,
};

let service: TestService;
let miner: TestKey;
let validator: TestKey;
let session: string;
test.before(async () => {
  service = await startTestService({ telemetry, log });
  await openTrialSuite(service);
  miner = await service.miner('broken-miner');
  validator = await service.validator('broken-validator');
  session = await validator.openSession();
});
test.after.always(() => service?.stop());

interface Sent {
  readonly path: string;
  readonly type: string;
  readonly headers: () => Readonly<Record<string, string>>;
}

const json = 'application/json';
/** Each way to prove a caller, before each way to read a body. */
const kinds: readonly Sent[] = [
  { path: '/v1/auth/challenge', type: json, headers: () => ({}) },
  { path: resultsPath, type: json, headers: () => validator.headers() },
  { path: resultsPath, type: json, headers: () => ({ authorization: `Bearer ${session}` }) },
  {
    ...{ path: '/v1/miner/submit', type: 'multipart/form-data; boundary=b' },
    headers: () => miner.headers(),
  },
  {
    ...{ path: '/v1/admin/packs', type: 'application/gzip' },
    headers: () => ({ authorization: `Bearer ${service.operatorToken}` }),
  },
];

const noChunk = 'no chunk\r\n';
const halfBody = '40\r\n{"hotkey":"5';

/** When and how the body breaks off. The delays only spread the moments: none waits for anything. */
const ends: readonly ((socket: Socket, head: string, delayMs: number) => unknown)[] = [
  (socket, head) => socket.write(`${head}${noChunk}`),
  async (socket, head, delayMs) => {
    socket.write(head);
    await sleep(delayMs);
    socket.write(noChunk);
  },
  async (socket, head, delayMs) => {
    socket.write(head);
    await sleep(delayMs);
    socket.destroy();
  },
  (socket, head) => socket.write(`${head}${halfBody}`, () => socket.destroy()),
  async (socket, head, delayMs) => {
    socket.write(`${head}${halfBody}`);
    await sleep(delayMs);
    socket.end();
  },
  async (socket, head, delayMs) => {
    socket.write(`${head}${halfBody}`);
    await sleep(delayMs);
    socket.resetAndDestroy();
  },
];
/**
 * Twice as many as have to arrive: a reset takes back what was not read yet, and who breaks off while he
 * waits among strangers is not begun.
 */
const eachTimes = 40;
/** More than the places that reads have. */
const arriving = 600;

function headOf({ path, type, headers }: Sent): string {
  const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}`);
  const first = [`POST ${path} HTTP/1.1`, 'Host: x', 'Transfer-Encoding: chunked'];
  return `${[...first, `Content-Type: ${type}`, ...lines].join('\r\n')}\r\n\r\n`;
}

async function breakOff(end: (typeof ends)[number], head: string, delayMs: number): Promise<void> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  await end(socket, head, delayMs);
  await closed;
}

test('hundreds of bodies that break off at any moment hold no place of a whole edge', async (t) => {
  await until(() => inFlight() === 0);
  const before = over;
  for (const kind of kinds) {
    for (const end of ends) {
      const heads = Array.from({ length: eachTimes }, () => headOf(kind));
      await Promise.all(heads.map((head, at) => breakOff(end, head, at / 4)));
    }
  }
  await until(() => over - before >= arriving && inFlight() === 0).catch(() => undefined);
  t.is(inFlight(), 0, 'places that nobody gave back');
  t.true(over - before >= arriving, `only ${over - before} got as far as a route`);
  t.deepEqual(failures, []);

  const { agent_version_id: version } = await submit(miner);
  t.is((await claim(validator)).agent_version_id, version);
  t.regex(await validator.openSession(), /^ses_/);
  t.is((await service.call('GET', '/v1/public/suites')).status, 200);
});
