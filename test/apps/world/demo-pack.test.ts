import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { products } from '../../../apps/world/demo/catalogue.ts';
import { writeDemoPack } from '../../../apps/world/demo/demo-pack.ts';
import { qualifyingTaskIds, shopTasks } from '../../../apps/world/demo/shop-tasks.ts';
import { inspectPack } from '../../../infra/packs/inspect-pack.ts';
import { drawTasks } from '../../../machines/suite/draw-tasks.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

test('the demo pack is a pack: a manifest and 150 tasks, 25 in each of 6 families', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true }));
  const { manifest, tasks, familyCounts } = await inspectPack((await writeDemoPack(folder)).path);

  t.is(manifest.display_name, 'Corner Shop');
  t.is(tasks.length, 150);
  t.deepEqual(Object.values(familyCounts), [25, 25, 25, 25, 25, 25]);
});

test('two starts make the same pack, so uploading it again is harmless', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true }));
  const [one, other] = await Promise.all([
    writeDemoPack(join(folder, 'one')),
    writeDemoPack(join(folder, 'other')),
  ]);

  t.is(one.sha256, other.sha256);
});

test('products differ, and so do the goals of all tasks', (t) => {
  t.is(new Set(products.map(({ productId }) => productId)).size, 80);
  t.is(new Set(products.map(({ title }) => title)).size, 80);
  t.is(new Set(shopTasks.map(({ task_id: id }) => id)).size, 150);
  t.is(new Set(shopTasks.map(({ goal_text: goal }) => goal)).size, 150);
});

test('the suite names its qualifying tasks, and a race finds 120 others to draw from', (t) => {
  const qualifying = new Set(qualifyingTaskIds);
  const heldOut = shopTasks
    .map(({ task_id: taskId, family }) => ({ taskId, family }))
    .filter(({ taskId }) => !qualifying.has(taskId));
  const drawn = Map.groupBy(drawTasks(heldOut, 90, 'any seed'), ({ family }) => family);

  t.deepEqual(
    [...drawn.values()].map(({ length }) => length),
    [15, 15, 15, 15, 15, 15],
  );
});
