import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { products } from '../../../apps/world/demo/catalogue.ts';
import { writeDemoPack } from '../../../apps/world/demo/demo-pack.ts';
import { shopTasks } from '../../../apps/world/demo/shop-tasks.ts';
import { inspectPack } from '../../../infra/packs/inspect-pack.ts';
import { drawTasks } from '../../../machines/suite/draw-tasks.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

test('the demo pack is a pack: a manifest and 60 tasks, 12 in each of 5 families', async (t) => {
  const folder = await temporaryFolder();
  t.teardown(() => rm(folder, { recursive: true }));
  const { manifest, tasks, familyCounts } = await inspectPack((await writeDemoPack(folder)).path);

  t.is(manifest.display_name, 'Corner Shop');
  t.is(tasks.length, 60);
  t.deepEqual(Object.values(familyCounts), [12, 12, 12, 12, 12]);
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

test('the default draw takes six tasks of each family', (t) => {
  const tasks = shopTasks.map(({ task_id: taskId, family }) => ({ taskId, family }));
  const drawn = Map.groupBy(drawTasks(tasks, 30, 'any seed'), ({ family }) => family);

  t.deepEqual(
    [...drawn.values()].map(({ length }) => length),
    [6, 6, 6, 6, 6],
  );
});

test('products differ, and every task that names products names ones of the shop', (t) => {
  const known = new Set(products.map(({ productId }) => productId));
  t.is(known.size, 60);
  t.is(new Set(products.map(({ title }) => title)).size, 60);
  for (const { task_id: id, expected, goal_text: goal } of shopTasks) {
    const { product_ids: ids = [] } = expected as { product_ids?: string[] };
    t.true(
      ids.every((one) => known.has(one)),
      id,
    );
    t.true(ids.length > 0 || 'kinds' in expected, id);
    t.true(goal.length > 20, id);
  }
  t.is(new Set(shopTasks.map(({ goal_text: goal }) => goal)).size, 60);
});
