import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../infra/clock/system-clock.ts';
import { createProviders } from '../../../infra/inference/providers.ts';
import {
  CredentialRejected,
  type InferenceProvider,
  type MintTerms,
  type ProviderId,
  ProviderUnavailable,
  providerIds,
} from '../../../infra/ports/inference.ts';
import { startStandIns } from '../../support/stand-ins.ts';
import { until } from '../../support/until.ts';

async function world(t: ExecutionContext) {
  const standIns = await startStandIns();
  t.teardown(() => standIns.stop());
  const within = (timeoutMs: number) => {
    const providers = createProviders({
      provideraUrl: standIns.providera.url,
      providerbUrl: standIns.providerb.url,
      clock: systemClock,
      timeoutMs,
    });
    return (id: ProviderId) => providers.get(id) as InferenceProvider;
  };
  // What hangs is waited for shortly; what answers is, on a busy machine, for longer.
  return { standIns, provider: within(30_000), hurried: within(1_000) };
}

const terms = (): MintTerms => ({
  evalRunId: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  expiresAtMs: Date.now() + 600_000,
  spendLimit: 25,
});

const question = JSON.stringify({
  model: 'maple/maple-70b-instruct',
  messages: [{ role: 'user', content: 'Which shoe fits?' }],
});

async function ask(provider: InferenceProvider, accessKey: string, body = question) {
  const signal = AbortSignal.timeout(5000);
  const answer = await provider.complete({ accessKey, body, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return { ...answer, text: Buffer.concat(chunks).toString('utf8') };
}

for (const id of providerIds) {
  test(`${id} takes a demo credential and no other`, async (t) => {
    const { provider } = await world(t);

    t.is(await provider(id).check('demo-one'), 'demo-one');
    await t.throwsAsync(provider(id).check('other'), { instanceOf: CredentialRejected });
    await t.throwsAsync(provider(id).mint('other', terms()), { instanceOf: CredentialRejected });
  });

  test(`a key of ${id} answers completions until it is revoked`, async (t) => {
    const { provider, standIns } = await world(t);
    const wanted = terms();
    const key = await provider(id).mint('demo-one', wanted);

    t.true(key.expiresAtMs <= wanted.expiresAtMs);
    t.is((await ask(provider(id), key.accessKey)).status, 200);
    await provider(id).revoke('demo-one', key);
    t.is((await ask(provider(id), key.accessKey)).status, 401);
    // Once more, as after a lost answer.
    await t.notThrowsAsync(provider(id).revoke('demo-one', key));
    t.is(standIns[id].counts.keysMade, 1);
  });

  test(`a failing ${id} is away, and nobody's credential is blamed`, async (t) => {
    const { provider, hurried, standIns } = await world(t);
    const key = await provider(id).mint('demo-one', terms());

    for (const fault of [
      { kind: 'status', status: 500 },
      { kind: 'status', status: 429 },
      { kind: 'status', status: 400 },
      { kind: 'cut' },
      { kind: 'hang' },
    ] as const) {
      standIns[id].fail(fault);
      const unavailable = { instanceOf: ProviderUnavailable };
      await Promise.all([
        t.throwsAsync(hurried(id).check('demo-one'), unavailable),
        t.throwsAsync(hurried(id).mint('demo-one', terms()), unavailable),
        t.throwsAsync(hurried(id).revoke('demo-one', key), unavailable),
        t.throwsAsync(hurried(id).servedModels(), unavailable),
      ]);
    }
    standIns[id].heal();
    await t.notThrowsAsync(provider(id).check('demo-one'));
  });

  test(`${id} says what it serves and how it does`, async (t) => {
    const { provider, standIns } = await world(t);
    const before = await provider(id).servedModels();
    standIns[id].set({
      dropped: ['dune/dune-v3'],
      models: { 'cedar/cedar-27b': { healthy: false, load: 1, latencyMs: 9000 } },
    });
    const after = await provider(id).servedModels();

    t.is(after.length, before.length - 1);
    t.deepEqual(
      after.find(({ modelId }) => modelId === 'cedar/cedar-27b'),
      { modelId: 'cedar/cedar-27b', healthy: false, load: 1, latencyMs: 9000 },
    );
  });
}

test('a refresh token that its use replaces is answered, and the old one is worth nothing', async (t) => {
  const { provider, standIns } = await world(t);
  standIns.providera.set({ rotates: true });

  const kept = await provider('providera').check('demo-first');
  t.not(kept, 'demo-first');
  await t.throwsAsync(provider('providera').check('demo-first'), {
    instanceOf: CredentialRejected,
  });
  const { nextCredential } = await provider('providera').mint(kept, terms());
  t.truthy(nextCredential);
  await until(() => standIns.providera.counts.keysRevoked === 1);
});

test('a key with a cap is refused when it has spent it', async (t) => {
  const { provider, standIns } = await world(t);
  standIns.providerb.set({ tokenPrice: 1 });
  const key = await provider('providerb').mint('demo-one', terms());

  t.is((await ask(provider('providerb'), key.accessKey)).status, 200);
  t.is((await ask(provider('providerb'), key.accessKey)).status, 402);
});

test('a key says whether it has spent its own cap; what caps nothing never has', async (t) => {
  const { provider, standIns } = await world(t);
  standIns.providerb.set({ tokenPrice: 1 });
  const [a, b] = [provider('providera'), provider('providerb')];
  const key = await b.mint('demo-one', terms());

  t.false(await b.isSpent(key.accessKey));
  await ask(b, key.accessKey);
  t.true(await b.isSpent(key.accessKey));
  t.false(await a.isSpent((await a.mint('demo-one', terms())).accessKey));
  standIns.providerb.fail({ kind: 'status', status: 402 });
  t.false(await b.isSpent(key.accessKey), 'an account out of credit says nothing of its keys');
});

test('an account out of credit is the trouble of its owner', async (t) => {
  const { provider, standIns } = await world(t);
  standIns.providerb.fail({ kind: 'status', status: 402 });

  await t.throwsAsync(provider('providerb').mint('demo-one', terms()), {
    instanceOf: CredentialRejected,
  });
});

/** A provider that answers so to everything. */
async function answering(t: ExecutionContext, id: ProviderId, status: number, text: string) {
  const server = createServer((message, response) => {
    message.resume();
    const contentType = text.startsWith('<') ? 'text/html' : 'application/json';
    response.writeHead(status, { 'content-type': contentType }).end(text);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const providers = createProviders({
    ...{ provideraUrl: url, providerbUrl: url, clock: systemClock },
  });
  return providers.get(id) as InferenceProvider;
}

/** Whether a credential is blamed when a provider answers so to everything. */
async function blames(t: ExecutionContext, id: ProviderId, status: number, text: string) {
  const provider = await answering(t, id, status, text);
  const asked = [provider.check('demo-one'), provider.mint('demo-one', terms())];
  const refusals = await Promise.all(asked.map((each) => t.throwsAsync<Error>(each)));
  return refusals.map((error) => error instanceof CredentialRejected);
}

const page = '<html><body>Request blocked.</body></html>';
const words = JSON.stringify({ error: { message: 'no', code: 403 } });
const oauth = (error: string) => JSON.stringify({ error });

// A fault of ours or of whatever stands between, which no other credential would mend: whoever is taken for
// refused gets no token until the miner stores another.
for (const [id, status, text, isOfCredential] of [
  ['providera', 400, oauth('invalid_grant'), true],
  ['providera', 400, oauth('invalid_request'), false],
  ['providera', 400, oauth('unsupported_grant_type'), false],
  ['providera', 400, page, false],
  ['providera', 401, oauth('invalid_client'), false],
  ['providera', 401, words, true],
  ['providera', 402, words, true],
  ['providera', 403, words, true],
  ['providera', 403, page, false],
  ['providera', 403, '{"message":"Forbidden"}', false],
  ['providerb', 400, words, false],
  ['providerb', 401, words, true],
  ['providerb', 402, words, true],
  ['providerb', 403, words, true],
  ['providerb', 403, page, false],
  ['providerb', 403, '', false],
] as const) {
  const blamed = isOfCredential ? 'blames' : 'does not blame';
  test(`${id}'s ${status} of ${text.slice(0, 40)} ${blamed} the credential`, async (t) => {
    t.deepEqual(await blames(t, id, status, text), [isOfCredential, isOfCredential]);
  });
}

// The revoke of RFC 7009 has no credential of the miner's: a key would be given up that can still be ended.
for (const [status, text] of [
  [401, oauth('invalid_client')],
  [401, words],
  [403, words],
] as const) {
  test(`providera's ${status} of ${text.slice(0, 40)} to a revoke is of this service`, async (t) => {
    const provider = await answering(t, 'providera', status, text);

    await t.throwsAsync(provider.revoke('demo-one', { keyId: 'key' }), {
      instanceOf: ProviderUnavailable,
    });
  });
}

test('keys outlive the process that made them', async (t) => {
  const first = await startStandIns({ secret: 'kept' });
  const second = await startStandIns({ secret: 'kept' });
  t.teardown(() => Promise.all([first.stop(), second.stop()]));
  const at = ({ providera, providerb }: typeof first) =>
    createProviders({
      ...{ provideraUrl: providera.url, providerbUrl: providerb.url, clock: systemClock },
    });

  for (const id of providerIds) {
    const key = await at(first).get(id)?.mint('demo-one', terms());
    const answer = await ask(at(second).get(id) as InferenceProvider, key?.accessKey ?? '');
    t.is(answer.status, 200);
  }
});

test('the same question gets the same words, at once or as a stream', async (t) => {
  const { provider } = await world(t);
  const { accessKey } = await provider('providera').mint('demo-one', terms());
  const whole = await ask(provider('providera'), accessKey);
  const again = await ask(provider('providera'), accessKey);
  const options = { stream: true, stream_options: { include_usage: true } };
  const body = JSON.stringify({ ...JSON.parse(question), ...options });
  const streamed = await ask(provider('providera'), accessKey, body);
  const events = streamed.text.split('\n\n').filter((event) => event.startsWith('data: {'));
  const chunks = events.map((event) => JSON.parse(event.slice('data: '.length)));
  const { message } = JSON.parse(whole.text).choices[0];

  t.is(JSON.parse(again.text).choices[0].message.content, message.content);
  t.is(
    chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join(''),
    message.content,
  );
  t.deepEqual(chunks.at(-1).usage, JSON.parse(whole.text).usage);
  t.true(streamed.text.endsWith('data: [DONE]\n\n'));
});

test('no secret follows a redirect', async (t) => {
  let reached = 0;
  const elsewhere = createServer((_request, response) => {
    reached += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  const portOf = (server: typeof elsewhere) => (server.address() as AddressInfo).port;
  await new Promise((resolve) => elsewhere.once('listening', resolve));
  const location = `http://127.0.0.1:${portOf(elsewhere)}/`;
  const moved = createServer((_request, response) => {
    response.writeHead(307, { location }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => moved.once('listening', resolve));
  t.teardown(() => Promise.all([elsewhere.close(), moved.close()]));
  const url = `http://127.0.0.1:${portOf(moved)}`;
  const providers = createProviders({
    ...{ provideraUrl: url, providerbUrl: url, clock: systemClock },
  });

  for (const id of providerIds) {
    const provider = providers.get(id) as InferenceProvider;
    await t.throwsAsync(provider.check('demo-one'), { instanceOf: ProviderUnavailable });
    await t.throwsAsync(ask(provider, 'key'), { instanceOf: ProviderUnavailable });
  }
  t.is(reached, 0);
});

test('only configured providers are there', (t) => {
  const providers = createProviders({
    ...{ provideraUrl: undefined, providerbUrl: 'http://127.0.0.1:1', clock: systemClock },
  });

  t.deepEqual([...providers.keys()], ['providerb']);
});

test('a stand-in is told how to behave over HTTP', async (t) => {
  const { provider, standIns } = await world(t);
  const control = `${standIns.providera.url}/control`;
  const told = await fetch(control, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rejected: ['demo-one'] }),
  });

  t.is(told.status, 200);
  await t.throwsAsync(provider('providera').check('demo-one'), { instanceOf: CredentialRejected });
  t.is((await fetch(control, { method: 'PUT', body: '{}' })).status, 405);
  await fetch(control, { method: 'DELETE' });
  await t.notThrowsAsync(provider('providera').check('demo-one'));
});
