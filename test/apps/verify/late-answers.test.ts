import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { Unanswered } from '../../../apps/cli/client/refusal.ts';
import { exitCodes } from '../../../apps/cli/exit-code.ts';
import { failureOf } from '../../../apps/cli/failure.ts';
import { AuditUnreadable } from '../../../apps/verify/audit/audit-unreadable.ts';
import { auditRowsAt } from '../../../apps/verify/audit/read-api.ts';
import { fetchSealed } from '../../../apps/verify/fetch-bundle.ts';
import { readPage } from '../../../apps/verify/public-page.ts';
import { BundleRefused, BundleUnread, openBundle } from '../../../apps/verify/sealed-bundle.ts';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createEd25519Signer } from '../../../infra/crypto/ed25519.ts';
import { listening } from '../../support/listening.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { sealed, trialBundle } from '../../support/trial-bundle.ts';

type Answer = (response: ServerResponse, clock: ManualClock) => Promise<void>;

const lateAnswers: readonly [string, Answer][] = [
  ['is silent', (_, clock) => clock.advance(30_000)],
  [
    'drips',
    async (response, clock) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let second = 0; second <= 30; second += 1) {
        response.write(' ');
        await clock.advance(1_000);
      }
    },
  ],
];

async function lateService(t: ExecutionContext, answer: Answer) {
  t.timeout(20_000);
  const clock = new ManualClock();
  const { origin } = await listening(t, ({ url }, response) => {
    if (url?.endsWith('/bundle') !== true) return void answer(response, clock);
    const seal = { race_id: raceId, sha256: '0'.repeat(64), size_bytes: 1, signature: '' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...seal, public_key: '', download_url: `${origin}/file` }));
  });
  return { clock, url: origin };
}

const raceId = '019a0000-0000-7000-8000-000000000001';

for (const [which, answer] of lateAnswers) {
  test(`a page of a server that ${which} cannot be read, and may be had later`, async (t) => {
    const service = await lateService(t, answer);
    const error = await t.throwsAsync(readPage(service, '/v1/page', z.unknown()), {
      instanceOf: BundleUnread,
      message: `${service.url}/v1/page cannot be read`,
    });
    t.true(error?.cause instanceof Unanswered);
    t.is(failureOf(error?.cause).exitCode, exitCodes.later);
  });

  test(`a bundle of a store that ${which} is not handed out`, async (t) => {
    const { clock, url } = await lateService(t, answer);
    const none = { bundle: undefined, save: undefined, publicKey: undefined };
    await t.throwsAsync(fetchSealed({ ...none, url, raceId }, clock), {
      instanceOf: BundleUnread,
      message: 'the store does not hand out the bundle',
    });
  });

  test(`the log of a server that ${which} cannot be read`, async (t) => {
    const service = await lateService(t, answer);
    await t.throwsAsync(auditRowsAt(service, 'token'), {
      instanceOf: AuditUnreadable,
      message: /cannot be read$/,
    });
  });
}

test('a page that cannot be had for now says nothing of the race', async (t) => {
  for (const [status, Refused] of [
    [429, BundleUnread],
    [503, BundleUnread],
    [500, BundleUnread],
    [404, BundleRefused],
    [403, BundleRefused],
  ] as const) {
    const { origin: url } = await listening(t, (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(JSON.stringify({ error_code: 'X', detail: 'No.' }));
    });
    const error = await t.throwsAsync(
      readPage({ url, clock: systemClock }, '/v1/page', z.unknown()),
      { message: `${url}/v1/page answers ${status}: "No."` },
    );
    t.is(error?.constructor, Refused, String(status));
    t.like(error?.cause, { status, retryAfterSeconds: 7 });
  }
});

test('a bundle that is kept is read again with its manifest, in which nothing opens the store', async (t) => {
  const { bytes, seal } = sealed(trialBundle(), createEd25519Signer(new Uint8Array(32).fill(1)));
  const { origin: url } = await listening(t, (request, response) => {
    if (request.url?.startsWith('/file') === true) return void response.end(bytes);
    response.setHeader('content-type', 'application/json');
    const download_url = `http://${request.headers.host}/file?X-Amz-Signature=opens`;
    response.end(JSON.stringify({ ...seal, download_url }));
  });
  const folder = await mkdtemp(join(tmpdir(), 'paddock-kept-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const save = join(folder, 'race.json.gz');
  const none = { bundle: undefined, publicKey: undefined };
  const fetched = await fetchSealed({ ...none, url, raceId: seal.race_id, save }, systemClock);

  const kept = await fetchSealed(
    { ...none, url: undefined, raceId: undefined, save: undefined, bundle: save },
    systemClock,
  );
  t.deepEqual(kept.seal, fetched.seal);
  t.deepEqual(openBundle(kept.bytes, kept.seal), trialBundle());
  t.false((await readFile(`${save}.manifest.json`, 'utf8')).includes('opens'));
});
