import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openPack, PackUnusable } from '../../../apps/validator/run/open-pack.ts';
import { cataloguePaths, shopContract } from '../../../apps/validator/shop/catalogue.ts';
import { products, vouchers } from '../../../apps/world/demo/catalogue.ts';
import { writeDemoPack } from '../../../apps/world/demo/demo-pack.ts';
import { shopTasks } from '../../../apps/world/demo/shop-tasks.ts';
import { writePack } from '../../../infra/packs/write-pack.ts';

async function folderFor(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'validator-packs-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

test('a pack is read with all that its tasks are graded by', async (t) => {
  const { path } = await writeDemoPack(await folderFor(t));

  const { catalogue, tasks } = await openPack(path);

  t.deepEqual(catalogue, { products, vouchers });
  t.is(tasks.size, shopTasks.length);
  const [task] = shopTasks;
  t.like(tasks.get(task?.task_id ?? ''), { family: task?.family, expected: task?.expected });
});

// Without them each order would cost its full price, and right ones be graded wrong with nobody to notice.
for (const missing of Object.values(cataloguePaths)) {
  test(`a pack without ${missing} is the platform’s fault, and no shop with less to sell`, async (t) => {
    const path = join(await folderFor(t), 'pack.tar.gz');
    const rows = products.slice(0, 1).map((each) => `${JSON.stringify(each)}\n`);
    const files = Object.values(cataloguePaths).filter((each) => each !== missing);
    await writePack(path, {
      manifest: {
        ...{ contract_version: '1', runtime_version: '1', tool_contract_version: shopContract },
        ...{ verifier_version: shopContract, result_schema_version: '1', catalog_epoch: 'trial' },
        ...{ catalog_sha256: 'f'.repeat(64), search_index_epoch: null, search_index_sha256: null },
        ...{ display_name: 'Trial', environment_revision: '1' },
      },
      tasks: shopTasks.slice(0, 1),
      files: Object.fromEntries(
        files.map((each) => [each, each.includes('products') ? rows.join('') : '']),
      ),
    });

    await t.throwsAsync(openPack(path), { instanceOf: PackUnusable, message: new RegExp(missing) });
  });
}
