import test from 'ava';
import { startTestService } from '../support/edge.ts';
import { fuzz } from './fuzzer.ts';

test('requests made at random get answers that the description allows, and change nothing when refused', async (t) => {
  t.timeout(300_000);
  const service = await startTestService({
    edges: 2,
    // Nothing is to change by itself meanwhile.
    env: { LEASE_SECONDS: '86400', CLAIM_LEASE_SECONDS: '86400', NO_PROGRESS_SECONDS: '86400' },
  });
  t.teardown(() => service.stop());
  const { baseUrls, operatorToken, sql } = service;

  const report = await fuzz({
    ...{ baseUrls, operatorToken, sql, seed: 4, count: 1_500, concurrency: 8 },
  });

  t.deepEqual(report.problems, []);
  t.is(report.sent, 1_500);
  t.true(report.repeated > 50, 'refused requests were sent again');
  t.true(report.accepted.size > report.neverAccepted.length, report.neverAccepted.join());
});
