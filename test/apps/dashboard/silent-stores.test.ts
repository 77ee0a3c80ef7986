import { mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { readBundleHead } from '../../../apps/dashboard/browser/emission/read-bundle-head.ts';
import { openEpisode } from '../../../apps/dashboard/browser/trajectory/open-episode.ts';
import type { Trajectory } from '../../../apps/dashboard/browser/trajectory/trajectory.ts';

const limitMs = 60_000;
const id = '00000000-0000-4000-8000-000000000001';

/** A store that takes each question, says so much at once, or nothing at all, and then is silent. */
function plantStore(t: ExecutionContext, says?: Uint8Array) {
  mock.timers.enable({ apis: ['setTimeout'] });
  const real = globalThis.fetch;
  t.teardown(() => {
    globalThis.fetch = real;
    mock.timers.reset();
  });
  const asked: string[] = [];
  const silent = (signal: AbortSignal | null | undefined) =>
    new Promise<Response>((_, fail) => {
      signal?.addEventListener('abort', () => fail(new Error('aborted')));
    });
  globalThis.fetch = async (address, init) => {
    asked.push(String(address));
    if (asked.length === 1) return Response.json({ download_url: 'http://store/it' });
    if (String(address).startsWith('/')) return new Response('{"through":"the service"}\n');
    if (says === undefined) return await silent(init?.signal);
    return new Response(new ReadableStream({ start: (body) => body.enqueue(says) }));
  };
  return asked;
}

/** Whatever does not wait for a timer is done. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

/** Time passes until it is so: when a piece is waited for is known to none but the reader. */
async function passesUntil(isSo: () => boolean): Promise<void> {
  for (let minute = 0; minute < 100 && !isSo(); minute++) {
    mock.timers.tick(limitMs);
    await rest();
  }
}

const gone = new AbortController().signal;

for (const [how, says] of [
  ['never begins to answer', undefined],
  ['falls silent within its answer', gzipSync('{"emission":[],"entrants":').subarray(0, 10)],
] as const) {
  test.serial(`a bundle whose store ${how} is given up in time`, async (t) => {
    plantStore(t, says);
    let became = 'still read';
    readBundleHead(id, gone).then(
      () => (became = 'read'),
      () => (became = 'given up'),
    );
    await rest();
    mock.timers.tick(limitMs - 1);
    await rest();
    t.is(became, 'still read');

    await passesUntil(() => became !== 'still read');
    t.is(became, 'given up');
  });
}

test.serial('an episode comes through the service where the store never answers', async (t) => {
  const asked = plantStore(t);
  let opened: Trajectory | undefined;
  openEpisode(id, gone).then((episode) => (opened = episode), t.log);

  await passesUntil(() => opened?.state === 'whole');
  t.is(opened?.count, 1);
  t.is(asked.at(-1), `/v1/public/episode-results/${id}/feedback`);
});

test.serial(
  'an episode whose store falls silent shows what came, and that more did not',
  async (t) => {
    plantStore(t, Buffer.from('{"step":1}\n{"step":2}\n'));
    const episode = await openEpisode(id, gone);
    await rest();
    t.is(episode.state, 'reading');

    await passesUntil(() => episode.state !== 'reading');
    t.like(episode, { count: 2, state: 'broken' });
  },
);
