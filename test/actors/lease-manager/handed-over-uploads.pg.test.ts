import test from 'ava';
import { addSuite, claimRun, openWorld } from '../../support/eval-desk.ts';
import { episode, packSha256, submission } from '../../support/eval-world.ts';

test('what a former owner presigned may be referred to at the next one', async (t) => {
  const { sql, desk } = await openWorld(t);
  await addSuite(sql);
  await desk.ok('submit-version', submission(1));
  const own = await claimRun(desk, 'val-a');
  await desk.ok('presign-artifact', {
    ...own,
    ...{ envPackSha256: packSha256, artifactSha256: '12'.repeat(32), contentLength: 10 },
  });
  await desk.takeOver();
  const ledgerUri = `s3://bucket/episodes/${'12'.repeat(32)}`;
  const stored = await desk.ok('append-results', { ...own, results: [episode(0, { ledgerUri })] });
  t.deepEqual(
    (stored['items'] as { status: number }[]).map(({ status }) => status),
    [201],
  );
});
