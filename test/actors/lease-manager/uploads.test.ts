import test from 'ava';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import {
  EvalWorld,
  episode,
  type OwnRun,
  packSha256,
  problemIdOf,
  suiteOf,
} from '../../support/eval-world.ts';

const tasks = 12;
/** Four for each task. */
const uploadsMax = 48;

function claimed(taskCount = tasks): { readonly world: EvalWorld; readonly own: OwnRun } {
  const world = new EvalWorld(suiteOf(taskCount));
  world.submit(1);
  return { world, own: world.run('val-a') };
}

const artifact = (own: OwnRun, index: number) => ({
  ...own,
  envPackSha256: packSha256,
  artifactSha256: sha256Hex(`artifact ${index}`),
  contentLength: 1,
});
const logs = (own: OwnRun, task: number) => ({ ...own, problemId: problemIdOf(`task-${task}`) });

test('a run has so many artifacts, and each of them as often as it is asked for', (t) => {
  const { world, own } = claimed();
  for (let index = 0; index < uploadsMax; index += 1) {
    world.ok('presign-artifact', artifact(own, index));
    world.ok('presign-artifact', artifact(own, 0));
  }

  t.is(world.refusal('presign-artifact', artifact(own, uploadsMax)).code, 'AT_CAPACITY');

  world.ok('presign-artifact', artifact(own, 0));
  world.ok('presign-artifact', artifact(own, uploadsMax - 1));
  const ledgerUri = `s3://bucket/episodes/${sha256Hex(`artifact ${uploadsMax - 1}`)}`;
  const none = `s3://bucket/episodes/${sha256Hex(`artifact ${uploadsMax}`)}`;
  const results = [episode(0, { ledgerUri }), episode(1, { ledgerUri: none })];
  t.deepEqual(
    world.append(own, results).map(({ status }) => status),
    [201, 422],
    'what was refused is no artifact of the run',
  );
});

test('a run has so many uploads of logs, whichever problems they are of', (t) => {
  const { world, own } = claimed();
  for (let index = 0; index < uploadsMax; index += 1) {
    world.ok('authorize-upload', logs(own, index % tasks));
  }

  t.is(world.refusal('authorize-upload', logs(own, 0)).code, 'AT_CAPACITY');

  world.ok('presign-artifact', artifact(own, 0));
  t.is(world.refusal('authorize-upload', logs(own, 1)).code, 'AT_CAPACITY');
});

test('a run of few tasks has some to spare, and every run has its own', (t) => {
  const { world, own } = claimed(1);
  for (let index = 0; index < 40; index += 1) {
    world.ok('authorize-upload', logs(own, 0));
    world.ok('presign-artifact', artifact(own, index));
  }
  t.is(world.refusal('authorize-upload', logs(own, 0)).code, 'AT_CAPACITY');
  t.is(world.refusal('presign-artifact', artifact(own, 40)).code, 'AT_CAPACITY');

  const other = world.run('val-b');

  world.ok('authorize-upload', logs(other, 0));
  world.ok('presign-artifact', artifact(other, 40));
});

test('an upload whose batch came to nothing is not counted', (t) => {
  const { world, own } = claimed(1);
  for (let index = 0; index < 39; index += 1) {
    world.ok('authorize-upload', logs(own, 0));
    world.ok('presign-artifact', artifact(own, index));
  }
  world.actor.begin();
  const drafted = [
    world.actor.decide(world.command('presign-artifact', artifact(own, 100)), world.nowMs),
    world.actor.decide(world.command('authorize-upload', logs(own, 0)), world.nowMs),
  ];
  t.deepEqual(
    drafted.map(({ reply }) => reply.kind),
    ['ok', 'ok'],
  );

  world.actor.rollback();

  world.ok('presign-artifact', artifact(own, 101));
  world.ok('authorize-upload', logs(own, 0));
  t.is(world.refusal('presign-artifact', artifact(own, 100)).code, 'AT_CAPACITY');
  t.is(world.refusal('authorize-upload', logs(own, 0)).code, 'AT_CAPACITY');
});
