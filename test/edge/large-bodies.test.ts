import test from 'ava';
import { z } from 'zod';
import { endpoint } from '../../apps/edge/endpoint.ts';
import { announceBody } from '../support/announced-body.ts';
import { startFramework } from '../support/framework.ts';

const largest = 2 * 1024 * 1024;
const small = 10_000;

const complete = endpoint({
  ...{ method: 'post', role: 'validator', summary: 'Takes results', trafficClass: 0 },
  path: '/complete',
  body: z.looseObject({}),
  bodyLimit: 'results',
  response: z.object({}),
  faults: [],
  handle: async () => ({}),
});

const concluding = endpoint({
  ...{ method: 'post', role: 'validator', summary: 'Ends a run', trafficClass: 0 },
  ...{ path: '/conclude', body: z.looseObject({}), bodyLimit: 'results', budget: 'completion' },
  response: z.object({}),
  faults: [],
  handle: async () => ({}),
});

async function startEdge(more: Parameters<typeof startFramework>[0] = []) {
  const edge = await startFramework([complete, concluding, ...more], {
    // Bodies are held back for as long as the machine takes.
    budgetMs: { request: 120_000, completion: 120_000 },
    limits: { bodyBytesPerSecondMin: 0 },
  });
  const announce = (key: string, length = largest, path = '/complete') =>
    announceBody(`http://127.0.0.1:${edge.port}${path}`, {
      headers: { 'x-hotkey': key },
      length,
    });
  /** Bodies of one key, each of which is waited for until it may come. */
  const begin = async (key: string, count: number) => {
    const bodies = [];
    for (let at = 0; at < count; at += 1) bodies.push(await announce(key));
    return bodies;
  };
  return { ...edge, announce, begin };
}

// Runs are looked up when the body is there, so one key could have an edge hold as many as it may have
// requests in flight, also for runs that are not its own: two gigabytes.
test('what one key sends at once is bounded by its bytes, before any of them comes', async (t) => {
  const edge = await startEdge();
  t.teardown(() => edge.drain());
  const bodies = await edge.begin('5Slow', 16);
  t.true(bodies.every(({ status }) => status === 100));

  t.like(await edge.announce('5Slow'), { status: 503, code: 'OVERLOADED' });
  t.is((await edge.announce('5Slow', small)).status, 100);
  t.is((await edge.announce('5Other')).status, 100);

  t.is(await bodies[0]?.finish('{}'), 200);
  const next = await edge.announce('5Slow');
  t.is(next.status, 100);
  t.is((await edge.announce('5Slow')).status, 503);
  next.leave();
  await edge.until(() => edge.inFlight() === 17);
  t.is((await edge.announce('5Slow')).status, 100);
});

test('a few keys with large bodies leave room for those that send one', async (t) => {
  const edge = await startEdge();
  t.teardown(() => edge.drain());
  await edge.begin('5A', 16);
  await edge.begin('5B', 16);

  t.deepEqual(
    (await edge.begin('5C', 3)).map(({ status }) => status),
    [100, 100, 503],
  );
  for (let key = 0; key < 30; key += 1) t.is((await edge.announce(`5 ${key}`)).status, 100);
  t.is((await edge.announce('5Late')).status, 503);
  t.is((await edge.announce('5Late', small)).status, 100);
});

test('the end of a run has room when results have none', async (t) => {
  const edge = await startEdge();
  t.teardown(() => edge.drain());
  for (let key = 0; key < 64; key += 1) await edge.begin(`5 ${key}`, 1);

  t.is((await edge.announce('5Late')).status, 503);
  t.is((await edge.announce('5Late', largest, '/conclude')).status, 100);
});

function waitingUntil(held: Promise<void>, onBegun = () => {}) {
  return endpoint({
    ...{ method: 'post', role: 'validator', summary: 'Waits', trafficClass: 0, path: '/waiting' },
    ...{ body: z.looseObject({}), bodyLimit: 'results', response: z.object({}), faults: [] },
    handle: async () => {
      onBegun();
      await held;
      return {};
    },
  });
}

// Sixteen of six hundred kilobytes are a third of what a key may have: of empty objects they are 200 MB.
test('a body of many parts takes the room of a large one', async (t) => {
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const waiting = waitingUntil(held.promise, () => {
    begun += 1;
  });
  const edge = await startEdge([waiting]);
  t.teardown(() => edge.drain());
  const body = JSON.stringify({ a: Array(199_997).fill({}) });
  const headers = { 'content-type': 'application/json', 'x-hotkey': '5Parts' };
  const send = () => edge.request('POST', '/waiting', { body, headers });
  const answers: Promise<Response>[] = [];
  for (let count = 1; count <= 16; count += 1) {
    answers.push(send());
    // Its parts are counted once it is there: before, the one after it could take its room.
    await edge.until(() => begun === count);
  }

  const refused = await send();
  t.is(refused.status, 503);
  t.like(await refused.json(), { error_code: 'OVERLOADED' });
  held.resolve();
  t.deepEqual([...new Set((await Promise.all(answers)).map(({ status }) => status))], [200]);
  t.is((await send()).status, 200);
});

// Behind a proxy that passes bodies on as they come, nobody says how long they are.
test('a small body of unknown length takes no room once it is there', async (t) => {
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const waiting = waitingUntil(held.promise, () => {
    begun += 1;
  });
  const edge = await startEdge([waiting]);
  t.teardown(() => edge.drain());
  const statuses: Promise<number>[] = [];
  for (let count = 1; count <= 40; count += 1) {
    const body = new Blob(['{}']).stream();
    const headers = { 'content-type': 'application/json', 'x-hotkey': '5Streams' };
    const options = { method: 'POST', headers, body, duplex: 'half' as const };
    const sent = fetch(`http://127.0.0.1:${edge.port}/waiting`, options);
    statuses.push(sent.then(({ status }) => status));
    await edge.until(() => begun === count);
  }

  t.is((await edge.announce('5Streams')).status, 100);
  held.resolve();
  t.deepEqual([...new Set(await Promise.all(statuses))], [200]);
});
