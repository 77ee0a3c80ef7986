import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { packKey } from '../../../apps/edge/evaluation/object-keys.ts';
import { startTestService } from '../../support/edge.ts';
import { openTrialSuite } from '../../support/trial-suite.ts';

/** The embedded store's file of an object; its bytes come first. */
function fileOf(dataDir: string, key: string): string {
  const name = createHash('sha256').update(key).digest('hex');
  return join(dataDir, 'buckets', 'paddock', name.slice(0, 2), name);
}

// It is small: its checksum is known to be wrong before there is a folder to read it into.
test('a pack whose bytes went bad in the store is a 503, and the edge lives', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'paddock-damaged-'));
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const service = await startTestService({ objectStore: { dataDir } });
  t.teardown(() => service.stop());
  const { packSha256 } = await openTrialSuite(service);
  const validator = await service.validator('validator');
  const file = await open(fileOf(dataDir, packKey(packSha256 ?? '')), 'r+');
  await file.write(Buffer.from([0xff, 0xff]), 0, 2, 100);
  await file.close();

  for (let time = 0; time < 5; time += 1) {
    const answer = await validator.get(`/v1/validator/pack/${packSha256}`);
    t.is(answer.status, 503);
    t.is(((await answer.json()) as { error_code: string }).error_code, 'STORAGE_UNAVAILABLE');
  }
});
