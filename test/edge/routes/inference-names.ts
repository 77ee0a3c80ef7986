import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  credentialList,
  credentialStatus,
  legacyCredentialStatus,
} from '../../spec/answers/inference.ts';
import { claim as claimShape } from '../../spec/answers/validator.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import { claimPath, submit } from '../../support/evaluation-client.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';
import { invalid, refused, shaped } from './answers.ts';

let service: TestService;
test.serial.before(async () => {
  service = await startTestService({
    env: {
      ...{ PROVIDERA_URL: '', PROVIDERA_NAME: 'maple', PROVIDERB_NAME: 'birch' },
      PUBLIC_URL: 'https://edge.example/paddock/',
    },
  });
});
test.after.always(() => service?.stop());

const base = '/v1/miner/inference-auth';
const credential = () => ({ credential: `demo-${randomUUID()}` });

test.serial('a provider that is not in use takes no credential', async (t) => {
  const miner = await service.miner('off');
  const legacy = { refresh_token: 'demo-x' };
  for (const [path, body] of [
    [`${base}/maple`, credential()],
    ['/v1/miner/providera-auth', legacy],
  ] as const) {
    // Without Retry-After: to repeat it never helps.
    const { detail } = await refused(t, await miner.post(path, body), '404 UNKNOWN_PROVIDER');
    t.is(detail, 'This provider is not in use here. Connect another provider.');
  }
  const status = await miner.get('/v1/miner/providera-auth/status');
  t.is(status.headers.get('link'), `<${base}/maple>; rel="successor-version"`);
  t.false((await shaped(t, legacyCredentialStatus, status)).connected);
});

test.serial('providers bear the words that are configured, everywhere', async (t) => {
  await openTrialSuite(service);
  const miner = await service.miner('named');
  for (const name of ['providera', 'providerb']) {
    await refused(t, await miner.get(`${base}/${name}`), '404 UNKNOWN_PROVIDER');
    const choice = { body: { provider: name } };
    t.is(
      await invalid(t, await miner.request('PATCH', `${base}/default`, choice)),
      'body.provider',
    );
  }
  const status = await miner.post(`${base}/birch`, credential());
  t.is((await shaped(t, credentialStatus, status)).provider, 'birch');
  const list = await shaped(t, credentialList, await miner.get(base));
  t.deepEqual(
    list.providers.map(({ provider }) => provider),
    ['maple', 'birch'],
  );
  t.is(list.default_provider, 'birch');

  await submit(miner);
  const answer = await (await service.validator('named validator')).post(claimPath);
  const { inference_token: token } = await shaped(t, claimShape, answer);
  t.is(token?.provider, 'birch');
  t.is(token?.base_url, 'https://edge.example/paddock/v1/inference/birch');
});
