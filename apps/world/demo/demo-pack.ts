import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../infra/ids/ids.ts';
import { writePack } from '../../../infra/packs/write-pack.ts';
import { cataloguePaths, shopContract } from '../../validator/shop/catalogue.ts';
import { products, vouchers } from './catalogue.ts';
import { shopTasks } from './shop-tasks.ts';

export interface DemoPack {
  readonly path: string;
  readonly sha256: string;
}

/** Writes the demo environment as a pack; always the same bytes, so uploading it again is harmless. */
export async function writeDemoPack(folder: string): Promise<DemoPack> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'corner-shop.tar.gz');
  const catalogue = jsonLines(products);
  const offers = jsonLines(vouchers);
  const { sha256 } = await writePack(path, {
    manifest: {
      contract_version: '1',
      runtime_version: '1',
      tool_contract_version: shopContract,
      verifier_version: shopContract,
      result_schema_version: '1',
      catalog_epoch: 'corner-shop-2',
      catalog_sha256: sha256Hex(catalogue + offers),
      search_index_epoch: null,
      search_index_sha256: null,
      display_name: 'Corner Shop',
      environment_revision: '2',
    },
    tasks: shopTasks,
    files: { [cataloguePaths.products]: catalogue, [cataloguePaths.vouchers]: offers },
  });
  return { path, sha256 };
}

function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
