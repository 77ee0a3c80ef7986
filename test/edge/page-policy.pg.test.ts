import test from 'ava';
import { packDelivery } from '../spec/answers/deliveries.ts';
import { startTestService } from '../support/edge.ts';
import { openTrialSuite } from '../support/trial-suite.ts';
import { shaped } from './routes/answers.ts';

// Browsers refuse what the policy does not name: bundles and episodes are read from where URLs lead.
test('the policy of the pages names the store by which presigned URLs lead there', async (t) => {
  const env = { S3_PUBLIC_ENDPOINT: 'http://localhost:4/' };
  const service = await startTestService({ env });
  t.teardown(() => service.stop());
  const { packSha256 } = await openTrialSuite(service);
  const validator = await service.validator('validator');
  const pack = await validator.get(`/v1/validator/pack/${packSha256}`);
  const { origin } = new URL((await shaped(t, packDelivery, pack)).download_url);

  const page = await service.call('GET', '/app/emissions');

  t.is(origin, 'http://127.0.0.1:4');
  const policy = page.headers.get('content-security-policy') ?? '';
  t.regex(policy, new RegExp(`; connect-src 'self' ${origin};`));
});
