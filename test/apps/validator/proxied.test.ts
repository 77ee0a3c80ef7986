/** A proxy before the service that answers in its place for a while, in its own words: they say nothing of a run. */
import type { ServerResponse } from 'node:http';
import test from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { until } from '../../support/until.ts';
import {
  claimOf,
  folderFor,
  noWork,
  openStub,
  type StubService,
  say,
  startStubbed,
} from './stub-service.ts';
import { openStubShop } from './stub-shop.ts';

const acknowledged: Readonly<Record<string, object>> = {
  '/heartbeat': { lease_expires_at: '2026-01-01T00:00:00Z' },
  '/presign': { upload_url: '', artifact_uri: 's3://it', results_s3_key: 'log' },
  '/episode-results': { results: [] },
  '/run/complete': { status: 'SUCCESS' },
  '/run/release': { released: true },
};

const page = (status: number, text: string) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${text}</h1>`);
const forbidden = page(403, 'Forbidden');
const backSoon = page(200, 'We are back soon');
const toLogin = (response: ServerResponse) => response.writeHead(302, { location: '/login' }).end();

/** The first five of each are answered by a proxy, with what proxies say. */
function proxied(stub: StubService, end: string): () => readonly unknown[] {
  const pages = [
    (response: ServerResponse) => say(response, 404, {}),
    forbidden,
    backSoon,
    toLogin,
    noWork,
  ];
  stub.answers.set('/login', page(200, 'Sign in'));
  const served = { ...acknowledged[end] };
  if ('upload_url' in served) served.upload_url = `${stub.url}/put`;
  const answers: unknown[] = [];
  stub.answers.set(end, (response) => {
    const other = pages.shift();
    if (other !== undefined) return other(response);
    answers.push(served);
    say(response, 200, served);
  });
  return () => answers;
}

test('a proxy that knows no route for a while costs no run that was played', async (t) => {
  t.timeout(180_000);
  const { stub, play } = await openStubShop(t, {
    taskCount: 1,
    claimed: { heartbeat_interval_seconds: 1 },
  });
  for (const end of ['/presign', '/episode-results']) proxied(stub, end);
  const beats = proxied(stub, '/heartbeat');
  const completions = proxied(stub, '/run/complete');
  // However quick the machine: the run goes on until a heartbeat was served.
  stub.answers.set('/code', (response) => {
    void until(() => beats().length > 0).then(() => response.end('code'));
  });

  await play('true', () => completions().length > 0);

  t.is(completions().length, 1);
  t.is(new Set(stub.askedFor('/run/complete').map(({ key }) => key)).size, 1);
  t.is(stub.askedFor('/run/complete').length, 6);
  t.is(stub.askedFor('/episode-results').length, 6);
  t.like(JSON.parse(stub.askedFor('/run/complete')[5]?.body ?? ''), { results_s3_key: 'log' });
  t.like(JSON.parse(stub.askedFor('/episode-results')[5]?.body ?? ''), {
    results: [{ ledger_uri: 's3://it' }],
  });
  t.deepEqual(stub.askedFor('/release'), []);
});

test('nor does it keep a run from being given back', async (t) => {
  const [stub, folder] = [await openStub(t), await folderFor(t)];
  const claims = [claimOf('run', stub)];
  stub.answers.set('/work/claim', (response) => {
    const claim = claims.shift();
    if (claim === undefined) noWork(response);
    else say(response, 200, claim);
  });
  const released = proxied(stub, '/run/release');
  const validator = await startStubbed(folder, stub);
  await until(() => released().length > 0);
  await validator.stop();

  t.is(stub.askedFor('/run/release').length, 6);
});

/** Half an hour passes when a test says so. */
function jumpingClock() {
  let laterMs = 0;
  const clock = {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + laterMs,
  };
  return {
    clock,
    jump: () => {
      laterMs += 30 * 60_000;
    },
  };
}

for (const [does, answer] of [
  ['refuses', forbidden],
  ['has a page for', backSoon],
  ['redirects', toLogin],
] as const) {
  test(`a proxy that ${does} a completion for good keeps no validator from the next run`, async (t) => {
    t.timeout(180_000);
    const { clock, jump } = jumpingClock();
    const { stub, play } = await openStubShop(t, { taskCount: 1, started: { clock } });
    stub.answers.set('/run/complete', (response) => {
      if (stub.askedFor('/run/complete').length === 3) jump();
      answer(response);
    });

    await play('true', () => stub.askedFor('/work/claim').length > 1);

    t.is(stub.askedFor('/run/complete').length, 3);
    t.is(stub.askedFor('/run/release').length, 1);
  });
}

test('nor does one that refuses an episode cost its result', async (t) => {
  t.timeout(180_000);
  const { clock, jump } = jumpingClock();
  const { stub, play } = await openStubShop(t, { taskCount: 1, started: { clock } });
  stub.answers.set('/episode-artifacts/presign', (response) => {
    if (stub.askedFor('/episode-artifacts/presign').length === 2) jump();
    forbidden(response);
  });

  const { completion } = await play('true');

  t.like(completion, { terminal_status: 'SUCCESS' });
  t.like(JSON.parse(stub.askedFor('/episode-results')[0]?.body ?? ''), {
    results: [{ ledger_uri: null }],
  });
});

test('a run that is lost meanwhile is not waited for', async (t) => {
  t.timeout(180_000);
  const { stub, play } = await openStubShop(t, {
    taskCount: 1,
    claimed: { heartbeat_interval_seconds: 1 },
  });
  stub.answers.set('/run/complete', (response) => {
    stub.answers.set('/run/heartbeat', (beat) =>
      say(beat, 409, { detail: 'No.', error_code: 'LEASE_LOST' }),
    );
    forbidden(response);
  });

  await play('true', () => stub.askedFor('/work/claim').length > 1);

  t.deepEqual(stub.askedFor('/run/release'), []);
});
