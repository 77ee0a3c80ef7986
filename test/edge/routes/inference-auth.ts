import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  credentialList,
  credentialStatus,
  defaultProvider,
  legacyCredentialStatus,
} from '../../spec/answers/inference.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import type { TestKey } from '../../support/edge-client.ts';
import { invalid, refused, shaped, unkept } from './answers.ts';

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({ edges: 2 });
});
test.after.always(() => service?.stop());
test.afterEach.always(() => {
  service.providers.providera.heal();
  service.providers.providerb.heal();
});

const base = '/v1/miner/inference-auth';
const legacy = '/v1/miner/providera-auth';
const miner = () => service.miner(randomUUID());
const secret = () => `demo-${randomUUID()}`;

const connect = (key: TestKey, provider: string, credential = secret()) =>
  key.post(`${base}/${provider}`, { credential });
const disconnect = (key: TestKey, provider: string) => key.request('DELETE', `${base}/${provider}`);
const choose = (key: TestKey, provider: unknown) =>
  key.request('PATCH', `${base}/default`, { body: { provider } });

const listed = async (key: TestKey) => {
  const answer = await key.get(base);
  const { providers, default_provider: chosen } = (await answer.json()) as {
    providers: { provider: string; connected: boolean }[];
    default_provider: string | null;
  };
  const connected = providers.filter((each) => each.connected).map(({ provider }) => provider);
  return { connected, chosen };
};

test.serial('a miner connects, asks, chooses and disconnects; nobody reads a secret', async (t) => {
  const key = await miner();
  const [first, second] = [secret(), secret()];
  const before = await shaped(t, credentialList, await key.get(base));
  t.deepEqual(before, {
    providers: [
      { provider: 'providera', connected: false, updated_at: null },
      { provider: 'providerb', connected: false, updated_at: null },
    ],
    default_provider: null,
  });

  const stored = await connect(key, 'providera', first);
  t.is(stored.headers.get('deprecation'), null);
  const status = await shaped(t, credentialStatus, unkept(t, stored));
  t.like(status, { connected: true, provider: 'providera' });
  t.true(Math.abs(Date.parse(status.updated_at ?? '') - Date.now()) < 60_000);
  t.deepEqual(
    await shaped(t, credentialStatus, unkept(t, await key.get(`${base}/providera`))),
    status,
  );
  await shaped(t, credentialStatus, await connect(key, 'providerb', second));
  t.deepEqual(await listed(key), { connected: ['providera', 'providerb'], chosen: 'providera' });

  const chosen = await shaped(t, defaultProvider, await choose(key, 'providerb'));
  t.deepEqual(chosen, { default_provider: 'providerb' });
  t.is((await listed(key)).chosen, 'providerb');

  const gone = await shaped(t, credentialStatus, await disconnect(key, 'providerb'));
  t.deepEqual(gone, { connected: false, provider: 'providerb', updated_at: null });
  t.deepEqual(await listed(key), { connected: ['providera'], chosen: 'providera' });
  await refused(t, await disconnect(key, 'providerb'), '404 NOT_CONNECTED');
  await shaped(t, credentialStatus, await disconnect(key, 'providera'));
  t.deepEqual(await listed(key), { connected: [], chosen: null });

  for (const path of [base, `${base}/providera`, `${base}/providerb`]) {
    const text = await (await key.get(path)).text();
    t.false(text.includes(first) || text.includes(second));
  }
});

test.serial('the deprecated routes work on the same stored credential, and say so', async (t) => {
  const key = await miner();
  const stored = await key.post(legacy, { refresh_token: secret() });
  const status = await shaped(t, legacyCredentialStatus, stored);
  t.true(status.connected);
  const shown = await key.get(`${legacy}/status`);
  t.deepEqual(await shaped(t, legacyCredentialStatus, shown), status);
  for (const answer of [stored, shown, await key.post(legacy, {})]) {
    t.regex(answer.headers.get('deprecation') ?? '', /^@\d{10}$/);
    t.is(answer.headers.get('link'), `<${base}/providera>; rel="successor-version"`);
  }
  const fresh = await shaped(t, credentialStatus, await key.get(`${base}/providera`));
  t.deepEqual(fresh, { ...status, provider: 'providera' });
  t.is((await listed(key)).chosen, 'providera');

  const again = await shaped(t, credentialStatus, await connect(key, 'providera'));
  t.true(Date.parse(again.updated_at ?? '') > Date.parse(status.updated_at ?? ''));
  const seen = await shaped(t, legacyCredentialStatus, await key.get(`${legacy}/status`));
  t.is(seen.updated_at, again.updated_at);
  await disconnect(key, 'providera');
  t.deepEqual(await shaped(t, legacyCredentialStatus, await key.get(`${legacy}/status`)), {
    ...{ connected: false, updated_at: null },
  });
});

test.serial('a credential is stored only once its provider has accepted it', async (t) => {
  const { providera, providerb } = service.providers;
  const key = await miner();
  for (const provider of ['providera', 'providerb']) {
    const wrong = await refused(
      t,
      await connect(key, provider, 'no-such-secret'),
      '422 CREDENTIAL_REJECTED',
    );
    t.false(JSON.stringify(wrong).includes('no-such-secret'));
  }
  await refused(
    t,
    await key.post(legacy, { refresh_token: 'no-such-secret' }),
    '422 CREDENTIAL_REJECTED',
  );
  providera.fail();
  providerb.fail({ kind: 'cut' });
  await refused(t, await connect(key, 'providera'), '503 PROVIDER_UNAVAILABLE');
  await refused(t, await connect(key, 'providerb'), '503 PROVIDER_UNAVAILABLE');
  t.deepEqual(await listed(key), { connected: [], chosen: null });
  await refused(t, await choose(key, 'providera'), '409 NOT_CONNECTED');
});

test.serial('a refused replacement leaves what was there', async (t) => {
  const { providerb } = service.providers;
  const key = await miner();
  const rotate = (credential: string) => key.post(`${base}/providerb/rotate`, { credential });
  await refused(t, await rotate(secret()), '404 NOT_CONNECTED');
  const status = await shaped(t, credentialStatus, await connect(key, 'providerb'));
  await refused(t, await rotate('wrong'), '422 CREDENTIAL_REJECTED');
  await refused(t, await connect(key, 'providerb', 'wrong'), '422 CREDENTIAL_REJECTED');
  providerb.fail();
  await refused(t, await rotate(secret()), '503 PROVIDER_UNAVAILABLE');
  t.deepEqual(await shaped(t, credentialStatus, await key.get(`${base}/providerb`)), status);
  providerb.heal();
  const rotated = await shaped(t, credentialStatus, await rotate(secret()));
  t.true(Date.parse(rotated.updated_at ?? '') > Date.parse(status.updated_at ?? ''));
});

test.serial('a provider that says nothing is given up in time', async (t) => {
  const key = await miner();
  service.providers.providera.fail({ kind: 'hang' });
  const startedMs = performance.now();
  await refused(t, await connect(key, 'providera'), '503 PROVIDER_UNAVAILABLE');
  t.true(performance.now() - startedMs < 9_500);
});

test.serial('an unknown provider is not found in a path, and invalid in a body', async (t) => {
  const key = await miner();
  const asked = [
    key.get(`${base}/providerc`),
    connect(key, 'providerc'),
    key.post(`${base}/PROVIDERA/rotate`, { credential: 'x' }),
    disconnect(key, `${'p'.repeat(32)}`),
  ];
  for (const answer of await Promise.all(asked)) await refused(t, answer, '404 UNKNOWN_PROVIDER');
  t.is(await invalid(t, await key.get(`${base}/${'p'.repeat(33)}`)), 'path.provider');
  for (const provider of ['providerc', '', 'p'.repeat(33), 7, null, undefined]) {
    t.is(await invalid(t, await choose(key, provider)), 'body.provider');
  }
});

test.serial('what is no credential is refused without being shown', async (t) => {
  const key = await miner();
  const texts = ['', `hidden-${'x'.repeat(8192)}`, 'hidden\u0000', 'hidden\n', 'hidden é'];
  for (const credential of [...texts, 7, null, ['hidden'], { hidden: 1 }, undefined]) {
    const answers = await Promise.all([
      key.post(`${base}/providera`, { credential }),
      key.post(`${base}/providera/rotate`, { credential }),
      key.post(legacy, { refresh_token: credential }),
    ]);
    for (const answer of answers) {
      t.false((await answer.clone().text()).includes('hidden'));
      t.regex(await invalid(t, answer), /^body($|\.(credential|refresh_token)$)/);
    }
  }
  const bare = await key.request('POST', `${base}/providera`, {
    ...{ body: '"hidden"', headers: { 'content-type': 'application/json' } },
  });
  t.false((await bare.clone().text()).includes('hidden'), 'a credential for a body');
  t.is(await invalid(t, bare), 'body');
  t.deepEqual(await listed(key), { connected: [], chosen: null });
});

test.serial('a miner acts on the own credentials alone, whomever the request names', async (t) => {
  const [own, other] = [await miner(), await miner()];
  await shaped(t, credentialStatus, await connect(other, 'providera'));
  const named = { hotkey: other.hotkey, miner_hotkey: other.hotkey };
  const query = new URLSearchParams(named).toString();
  const headers = { 'x-miner-hotkey': other.hotkey };
  const send = (method: string, path: string, body?: object) =>
    own.request(method, `${path}?${query}`, {
      headers,
      ...(body !== undefined && { body: { ...body, ...named } }),
    });
  const status = await shaped(t, credentialStatus, await send('GET', `${base}/providera`));
  t.false(status.connected);
  await refused(t, await send('DELETE', `${base}/providera`), '404 NOT_CONNECTED');
  await refused(
    t,
    await send('PATCH', `${base}/default`, { provider: 'providera' }),
    '409 NOT_CONNECTED',
  );
  await shaped(
    t,
    credentialStatus,
    await send('POST', `${base}/providerb`, { credential: secret() }),
  );
  t.deepEqual(await listed(own), { connected: ['providerb'], chosen: 'providerb' });
  t.deepEqual(await listed(other), { connected: ['providera'], chosen: 'providera' });
});

test.serial('no row holds a credential, and none opens in the place of another', async (t) => {
  const key = await miner();
  const credential = secret();
  await shaped(t, credentialStatus, await connect(key, 'providera', credential));
  const rows = await service.sql<{ sealed: string }[]>`
    select sealed from inference_credential where miner_hotkey = ${key.hotkey}`;
  t.regex(rows[0]?.sealed ?? '', /^v1\.test\.[A-Za-z0-9_-]+$/);
  const tables = await service.sql<{ name: string }[]>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
    from pg_tables where schemaname in ('public', 'rt')`;
  for (const { name } of tables) {
    const found = await service.sql.unsafe(
      `select 1 from ${name} as r where r::text like '%${credential}%' limit 1`,
    );
    t.is(found.length, 0, name);
  }
});

test.serial('two that connect at once leave one whole credential behind', async (t) => {
  const key = await miner();
  const asked = ['providera', 'providera', 'providerb', 'providera'].map((provider) =>
    connect(key, provider),
  );
  for (const answer of await Promise.all(asked)) await shaped(t, credentialStatus, answer);
  t.deepEqual((await listed(key)).connected, ['providera', 'providerb']);
  const [first, second] = await Promise.all([
    disconnect(key, 'providera'),
    disconnect(key, 'providera'),
  ]);
  t.deepEqual([first.status, second.status].sort(), [200, 404]);
  t.deepEqual(await listed(key), { connected: ['providerb'], chosen: 'providerb' });
});
