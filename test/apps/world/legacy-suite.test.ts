import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { readLegacySuite } from '../../../apps/world/demo/legacy-suite.ts';
import { UsageError } from '../../../apps/world/options.ts';
import { temporaryFolder } from '../../support/temporary-servers.ts';

const sound = {
  query: 'A waist bag for motorcycles, priced from 180 to 505.',
  reward: { product_id: '503', title: ['Waist Bag'], attributes: [], price: [] },
  category: 'Product',
  difficulty: 'easy',
  title: 'Product 1',
  reward_title_embeddings: { 'Waist Bag': Array.from({ length: 1024 }, () => 0.5) },
};

let folder = '';
test.before(async () => {
  folder = await temporaryFolder();
});
test.after.always(() => rm(folder, { recursive: true, force: true }));

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test('problems travel whole, with fields that nobody knows', async (t) => {
  const shop = { ...sound, reward: [sound.reward, sound.reward], voucher: { budget: 82 } };
  const path = await fileOf('own.json', JSON.stringify([sound, shop]));
  const suite = await readLegacySuite(path);

  t.deepEqual(suite.problems, [sound, shop]);
  t.regex(suite.benchmarkName, /^own [0-9a-f]{8}$/);
});

const refusals: Readonly<Record<string, readonly [content: string, says: RegExp]>> = {
  'text that is not JSON': ['[{', /is not JSON/],
  'no array': ['{}', /must be an array of problems/],
  'an empty array': ['[]', /must be an array of problems/],
  'a problem without a query': [
    JSON.stringify([sound, { ...sound, query: undefined }]),
    /problem 2, query:/,
  ],
  'an embedding of another width': [
    JSON.stringify([{ ...sound, reward_title_embeddings: { 'Waist Bag': [1, 2] } }]),
    /problem 1, reward_title_embeddings/,
  ],
};

for (const [title, [content, says]] of Object.entries(refusals)) {
  test(`${title} is refused in one sentence`, async (t) => {
    const path = await fileOf(`${title}.json`, content);
    const error = await t.throwsAsync(readLegacySuite(path), { instanceOf: UsageError });

    t.regex(error.message, says);
    t.false(error.message.includes('\n'));
  });
}

test('a file that is not there is named', async (t) => {
  const path = join(folder, 'absent.json');

  await t.throwsAsync(readLegacySuite(path), { message: `--suite ${path}: no such file` });
});
