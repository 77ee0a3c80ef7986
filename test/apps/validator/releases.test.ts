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

const answerTo = async (releases: Releases, evalRunId: string) =>
  await (await releases.give(evalRunId, 'stopping')).answer;

test('a run that the service takes back is told from one that was ours no more', async (t) => {
  const releases = await open(await folderFor(t), new ManualClock(), async ({ evalRunId }) =>
    evalRunId === 'ours'
      ? { kind: 'acknowledged', answer: null }
      : { kind: 'refused', reason: '409' },
  );

  t.deepEqual(await answerTo(releases, 'ours'), { kind: 'acknowledged', answer: null });
  t.deepEqual(await answerTo(releases, 'another’s'), { kind: 'refused', reason: '409' });
  t.is(releases.size, 0);
  await releases.stop();
});

test('no release waits for one that never gets through', async (t) => {
  const folder = await folderFor(t);
  const clock = new ManualClock();
  let attempts = 0;
  const releases = await open(folder, clock, async ({ evalRunId }) => {
    if (evalRunId !== 'stuck') return { kind: 'acknowledged', answer: null };
    attempts += 1;
    return { kind: 'later', reason: '500' };
  });
  void answerTo(releases, 'stuck');
  await until(async () => {
    await clock.advance(1_000);
    return attempts > 5;
  });

  t.deepEqual(await answerTo(releases, 'a'), { kind: 'acknowledged', answer: null });
  t.is(releases.size, 1);
  await releases.stop();
  t.is((await readdir(folder)).length, 1);
});

test('a run is given back although the disk takes nothing', async (t) => {
  const folder = await folderFor(t);
  const releases = await open(folder, new ManualClock(), async () => ({
    ...{ kind: 'acknowledged', answer: null },
  }));
  await rm(folder, { recursive: true });

  t.deepEqual(await answerTo(releases, 'a'), { kind: 'acknowledged', answer: null });
  t.is(releases.size, 0);
  await releases.stop();
});

test('one that nobody answers is waited for a little, and is asked for by the next process', async (t) => {
  const folder = await folderFor(t);
  const clock = new ManualClock();
  const away = await open(folder, clock, async () => ({ kind: 'later', reason: 'away' }));
  const given = answerTo(away, 'a');
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
  t.is(await given, undefined);
  await away.stop();
  t.is((await readdir(folder)).length, 1);

  const asked: Delivery[] = [];
  const back = await open(folder, clock, async (one) => {
    asked.push(one);
    return { kind: 'acknowledged', answer: null };
  });
  await until(() => back.size === 0);
  t.like(asked[0], { kind: 'release', evalRunId: 'a', reason: 'stopping' });
  t.is(asked.length, 1);
  await back.stop();
});
