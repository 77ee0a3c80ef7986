import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { z } from 'zod';
import { type Endpoint, endpoint, type RequestContext } from '../../apps/edge/endpoint.ts';
import { PreparedAnswer } from '../../apps/edge/prepared-answer.ts';
import { refusal, startFramework } from '../support/framework.ts';
import { until } from '../support/until.ts';

const anything = z.record(z.string(), z.unknown());

/** Answers when it is told to. */
function slow(method: 'GET' | 'POST', until: Promise<void>) {
  const contexts: RequestContext[] = [];
  const asked: Endpoint = endpoint({
    method: method === 'POST' ? 'post' : 'get',
    path: '/slow',
    role: 'public',
    summary: 'Waits',
    trafficClass: 0,
    body: z.object({ text: z.string() }).optional(),
    response: anything,
    faults: [],
    async handle({ context }): Promise<Record<string, unknown>> {
      contexts.push(context);
      await until;
      // With headers of its own, at which Node throws once the answer is out.
      return new PreparedAnswer({ body: '{"done":true}', headers: { 'X-Done': 'yes' } }) as never;
    },
  });
  return { asked, contexts };
}

test('a stopping edge answers what it has read, then closes', async (t) => {
  const release = Promise.withResolvers<void>();
  await using edge = await startFramework([slow('GET', release.promise).asked]);
  const held = edge.get('/slow');
  await edge.until(() => edge.inFlight() === 1);
  const drained = edge.drain();
  release.resolve();
  t.deepEqual(await (await held).json(), { done: true });
  await drained;
  await t.throwsAsync(() => edge.get('/slow'));
});

for (const [method, code] of [
  ['POST', 'OUTCOME_UNKNOWN'],
  ['GET', 'OVERLOADED'],
] as const) {
  test(`a ${method} for which a stopping edge cannot wait is ${code}, not cut off`, async (t) => {
    const release = Promise.withResolvers<void>();
    const { asked, contexts } = slow(method, release.promise);
    await using edge = await startFramework([asked], { drainMs: 600 });
    const held = edge.request(method, '/slow');
    await edge.until(() => contexts.length === 1);
    const left = once(contexts[0]?.signal ?? new EventTarget(), 'abort');

    const drained = edge.drain();

    const answer = await held;
    t.is(answer.status, 503);
    t.is((await refusal(answer)).error_code, code);
    t.regex(answer.headers.get('retry-after') ?? '', /^([1-9]|10)$/);
    t.is(answer.headers.get('connection'), 'close');
    await drained;
    // What it asks of others ends, as when its client had left.
    await left;
    release.resolve();
    await edge.until(() => edge.inFlight() === 0);
    await edge.until(() => edge.measured.length === 1);
    t.deepEqual(edge.reported, []);
  });
}

test('what a stopping edge has not read whole is cut off without an answer', async (t) => {
  const { asked, contexts } = slow('POST', Promise.resolve());
  await using edge = await startFramework([asked], { drainMs: 600 });
  const socket = connect(edge.port, '127.0.0.1');
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard += text;
  });
  const closed = once(socket, 'close');
  const head = 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  socket.write(`${head}Content-Length: 12\r\n\r\n{"text"`);
  await edge.until(() => edge.inFlight() === 1);
  await edge.drain();
  await closed;
  t.is(heard, '');
  t.is(contexts.length, 0);
  t.deepEqual(edge.reported, []);
});

// Node lets go of a connection that asks for a tunnel, and then nothing of the server's ends it.
test('whoever asks for a tunnel and stays keeps neither a place nor a stopping edge', async (t) => {
  await using edge = await startFramework([], {
    drainMs: 60_000,
    limits: { connectionsPerAddressMax: 1 },
  });
  const asking = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => asking.destroy());
  asking.on('error', () => undefined);
  asking.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
  let told = '';
  asking.on('data', (part) => {
    told += part;
  });
  await once(asking, 'end');
  t.regex(told, /^HTTP\/1\.1 405 /);

  // As soon as it is let go of there.
  await until(async () => (await edge.get('/nowhere').catch(() => undefined))?.status === 404);
  await edge.drain();
});
