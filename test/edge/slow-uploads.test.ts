import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { type Endpoint, endpoint } from '../../apps/edge/endpoint.ts';
import { Fault } from '../../machines/fault.ts';
import { startFramework } from '../support/framework.ts';
import { submissionEndpoint } from '../support/submission-endpoint.ts';

const upload = endpoint({
  method: 'post',
  path: '/upload',
  role: 'miner',
  summary: 'Reads all of it',
  trafficClass: 1,
  bodyKind: 'multipart',
  budget: 'submission',
  response: z.object({ length: z.number() }),
  faults: [],
  async handle({ context }) {
    return { length: (await text(context.stream)).length };
  },
});

const file = endpoint({
  ...upload,
  path: '/file',
  bodyKind: 'raw',
  budget: 'upload',
  requestMediaType: 'application/gzip',
} as Endpoint);

const form = 'multipart/form-data; boundary=b';

function trickle(
  port: number,
  { path = '/upload', length = 'Content-Length: 9', type = form } = {},
) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: close', length];
  socket.write(`${[...head, `Content-Type: ${type}`].join('\r\n')}\r\n\r\n`);
  if (length.startsWith('Content')) socket.write('-');
  return socket;
}

// Validators drop what any 4xx answers, and repeat what breaks off.
test('an upload that trickles in holds its place no longer than its budget', async (t) => {
  await using edge = await startFramework([submissionEndpoint()], {
    budgetMs: { submission: 300 },
  });
  const answer = text(trickle(edge.port));
  await edge.until(() => edge.inFlight() === 1);
  t.is(await answer, '');
  await edge.until(() => edge.inFlight() === 0);
  t.is(edge.reported.length, 0);
});

test('a body of JSON that trickles in is cut off without an answer, too', async (t) => {
  const results = endpoint({
    ...{ method: 'post', path: '/upload', role: 'validator', summary: 'Takes all of it' },
    ...{ trafficClass: 1, body: z.looseObject({}), bodyLimit: 'results', faults: [] },
    response: z.object({}),
    handle: async () => ({}),
  });
  await using edge = await startFramework([results], { budgetMs: { request: 300 } });
  const socket = trickle(edge.port, { type: 'application/json' });
  t.is(await text(socket), '');
  await edge.until(() => edge.inFlight() === 0);
});

// Of 9 bytes at 3 a second.
test('a file has the time that its bytes need at the slowest pace, and more than a request', async (t) => {
  const [budgetMs, limits] = [{ upload: 300 }, { bodyBytesPerSecondMin: 3, requestMs: 300 }];
  await using edge = await startFramework([file], { budgetMs, limits });
  const socket = trickle(edge.port, { path: '/file' });
  const whole = text(socket);
  await edge.until(() => edge.inFlight() === 1);
  // Node looks once a second whether a request takes too long.
  await delay(2_200);
  socket.write('12345678');
  t.regex(await whole, /^HTTP\/1\.1 200 [\s\S]*\{"length":9\}$/);

  const late = text(trickle(edge.port, { path: '/file' }));
  t.regex(await late, /^HTTP\/1\.1 408 [\s\S]*\{"detail":"The body took too long to come\."\}$/);
  t.is(edge.reported.length, 0);
});

test('a file of a length that nobody knows has the usual time', async (t) => {
  await using edge = await startFramework([file], { budgetMs: { upload: 300 } });
  const length = 'Transfer-Encoding: chunked';
  t.regex(await text(trickle(edge.port, { path: '/file', length })), /^HTTP\/1\.1 408 /);
});

test('what is no file has the time of a request', async (t) => {
  await using edge = await startFramework([upload], { limits: { requestMs: 300 } });
  t.notRegex(await text(trickle(edge.port)), / 200 /);
  await edge.until(() => edge.inFlight() === 0);
});

test('one key has so many uploads at once, and gets its places back', async (t) => {
  await using edge = await startFramework([upload]);
  const held = [trickle(edge.port), trickle(edge.port)];
  await edge.until(() => edge.inFlight() === 2);
  const refused = await edge.request('POST', '/upload', { body: 'one too many' });
  t.is(refused.status, 429);
  t.regex(refused.headers.get('retry-after') ?? '', /^[1-9]/);
  for (const socket of held) socket.write('12345678');
  const answers = await Promise.all(held.map((socket) => text(socket)));
  for (const answer of answers) t.regex(answer, /^HTTP\/1\.1 200 [\s\S]*\{"length":9\}$/);
  t.is((await edge.request('POST', '/upload', { body: 'whole' })).status, 200);
});

test('an upload that is refused with half of it unread comes to its end all the same', async (t) => {
  let isOver: Promise<unknown> = Promise.resolve();
  const hasty = endpoint({
    ...upload,
    faults: ['BODY_TOO_LARGE'],
    async handle({ context: { stream } }) {
      isOver = once(stream, 'end');
      await once(stream, 'data');
      stream.pause();
      throw new Fault('BODY_TOO_LARGE', 'Enough.');
    },
  });
  await using edge = await startFramework([hasty]);
  const answer = await fetch(`http://127.0.0.1:${edge.port}/upload`, {
    ...{ method: 'POST', body: 'x'.repeat(200_000) },
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  t.is(answer.status, 413, String(edge.reported[0]));
  await isOver;
});
