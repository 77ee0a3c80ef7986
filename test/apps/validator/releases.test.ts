import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Delivery } from '../../../apps/validator/delivery/delivery.ts';
import type { Attempted } from '../../../apps/validator/delivery/delivery-queue.ts';
import { Releases } from '../../../apps/validator/delivery/releases.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { until } from '../../support/until.ts';

async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-releases-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const open = (folder: string, clock: ManualClock, send: (one: Delivery) => Promise<Attempted>) =>
  Releases.open({ folder, send, clock, log: silentLogger, onRetry: () => undefined });

test('a run that the service takes back is told from one that was ours no more', async (t) => {
  const releases = await open(await folderFor(t), new ManualClock(), async ({ evalRunId }) =>
    evalRunId === 'ours'
      ? { kind: 'acknowledged', answer: null }
      : { kind: 'refused', reason: '409' },
  );

  t.true(await releases.give('ours', 'stopping'));
  t.false(await releases.give('another’s', 'stopping'));
  t.is(releases.size, 0);
  await releases.stop();
});

test('one that nobody answers is waited for a little, and is asked for by the next process', async (t) => {
  const folder = await folderFor(t);
  const clock = new ManualClock();
  const away = await open(folder, clock, async () => ({ kind: 'later', reason: 'away' }));
  const given = away.give('a', 'stopping');
  let isOver = false;
  void given.then(() => {
    isOver = true;
  });
  await until(() => away.size === 1);
  await clock.advance(9_000);
  t.false(isOver);
  await until(async () => {
    await clock.advance(1_000);
    return isOver;
  });
  t.true(await given, 'it will be');
  await away.stop();
  t.is((await readdir(folder)).length, 1);

  const asked: Delivery[] = [];
  const back = await open(folder, clock, async (one) => {
    asked.push(one);
    return { kind: 'acknowledged', answer: null };
  });
  await until(() => back.size === 0);
  t.deepEqual(asked, [{ kind: 'release', evalRunId: 'a', reason: 'stopping' }]);
  await back.stop();
});
